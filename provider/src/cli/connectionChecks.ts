import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { isObject } from "../json.js";
import type { Finding } from "./report.js";

const limitMs = 10_000;

/** Where a socket connects to. */
interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The endpoint of an address; sockets take an IPv6 address without its brackets. */
export const endpointOf = ({ hostname, port, protocol }: URL): Endpoint => ({
  host: hostname.replace(/^\[|\]$/g, ""),
  port: Number(port || (protocol === "https:" ? 443 : 80)),
});

const network = "Check the network, the firewall and the proxy settings (HTTPS_PROXY).";

/** Whether a connection can be made at all. Nothing is sent over it. */
export async function reach({ host, port }: Endpoint): Promise<Finding> {
  const code = await outcomeOf(connect({ host, port }), "connect");
  const place = `${host}:${port}`;
  switch (code) {
    case undefined:
      return { passed: true, what: `${place} accepts connections` };
    case "ECONNREFUSED":
      return {
        passed: false,
        what: `${place} refuses connections`,
        fix: "Check the port in the address, and that the service runs.",
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return {
        passed: false,
        what: `the name ${host} cannot be looked up (${code})`,
        fix: "Check the host in the address, and this machine's DNS.",
      };
    case "ETIMEDOUT":
      return { passed: false, what: `${place} does not answer within ${limitMs / 1000} s`, fix: network };
    default:
      return { passed: false, what: `${place} cannot be reached (${code})`, fix: network };
  }
}

/** Whether the certificate is valid for this host and signed by an authority that this machine trusts. */
export async function verifyTls({ host, port }: Endpoint): Promise<Finding> {
  const socket = connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) });
  let validTo = "";
  socket.once("secureConnect", () => {
    validTo = socket.getPeerCertificate().valid_to;
  });
  const code = await outcomeOf(socket, "secureConnect");
  if (code !== undefined) return tlsFault(code, `${host}:${port}`);
  if (socket.authorized) return { passed: true, what: `the certificate verifies, valid until ${isoDate(validTo)}` };
  return {
    passed: false,
    what: "the certificate does not verify. NODE_TLS_REJECT_UNAUTHORIZED=0 hides that from other programs; this package verifies it all the same and sends nothing",
    fix: `Unset NODE_TLS_REJECT_UNAUTHORIZED. ${trust}`,
  };
}

const trust = "If your organisation signs its own certificates: export NODE_EXTRA_CA_CERTS=/path/to/ca.pem";

function tlsFault(code: string, place: string): Finding {
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return {
      passed: false,
      what: `the certificate of ${place} is not valid now (${code}); here it is ${new Date().toISOString()}`,
      fix: "Check this machine's clock. If it is right, the service's certificate must be renewed.",
    };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return {
      passed: false,
      what: `the certificate of ${place} is for another name (${code})`,
      fix: "Use the name of the certificate in the address.",
    };
  }
  if (/CERT|^UNABLE_TO_|SELF_SIGNED/.test(code)) {
    return {
      passed: false,
      what: `the certificate of ${place} is signed by no authority that this machine trusts (${code})`,
      fix: trust,
    };
  }
  return {
    passed: false,
    what: `${place} makes no TLS connection (${code})`,
    fix: "Check the port in the address: it must be one for https.",
  };
}

/** Resolves to undefined once the event is emitted, else to the code of the error. The connection is closed. */
function outcomeOf(socket: Socket | TLSSocket, event: "connect" | "secureConnect"): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      end("ETIMEDOUT");
    }, limitMs);
    const end = (code: string | undefined) => {
      clearTimeout(timer);
      resolve(code);
      socket.destroy();
    };
    socket.once(event, () => {
      end(undefined);
    });
    socket.on("error", (error) => {
      end(codeOf(error));
    });
    socket.once("close", () => {
      end("closed");
    });
  });
}

const codeOf = (error: unknown): string =>
  isObject(error) && typeof error["code"] === "string" ? error["code"] : "unknown";

const isoDate = (text: string): string =>
  Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString().slice(0, 10);
