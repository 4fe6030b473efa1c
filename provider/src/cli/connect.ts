import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { isObject } from "../json.js";

const limitMs = 10_000;

/** What one step found; `fix` says what to do about a fault. */
export type Finding =
  { readonly fault?: undefined; readonly text: string } | { readonly fault: string; readonly fix: string };

interface Address {
  readonly host: string;
  readonly port: number;
}

const network = "Check the network, the firewall and the proxy settings (HTTPS_PROXY).";

/** Whether a connection to an address can be made at all. Nothing is sent over it. */
export async function reach({ host, port }: Address): Promise<Finding> {
  const code = await settled(connect({ host, port }), "connect");
  const place = `${host}:${port}`;
  switch (code) {
    case undefined:
      return { text: `${place} accepts connections` };
    case "ECONNREFUSED":
      return {
        fault: `${place} refuses connections`,
        fix: "Check the port in the address, and that the service runs.",
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return {
        fault: `the name ${host} cannot be looked up (${code})`,
        fix: "Check the host in the address, and this machine's DNS.",
      };
    case "ETIMEDOUT":
      return { fault: `${place} does not answer within ${limitMs / 1000} s`, fix: network };
    default:
      return { fault: `${place} cannot be reached (${code})`, fix: network };
  }
}

/** Whether the certificate is good for this host and signed by someone whom this machine trusts. */
export async function verifyTls({ host, port }: Address): Promise<Finding> {
  const socket = connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) });
  let validTo = "";
  socket.once("secureConnect", () => {
    validTo = socket.getPeerCertificate().valid_to;
  });
  const code = await settled(socket, "secureConnect");
  if (code !== undefined) return tlsFault(code, `${host}:${port}`);
  if (socket.authorized) return { text: `the certificate verifies, valid until ${isoDate(validTo)}` };
  return {
    fault: "the certificate does not verify, and NODE_TLS_REJECT_UNAUTHORIZED=0 hides it: the token would go to anyone",
    fix: `Unset it. ${trust}`,
  };
}

const trust = "If your organisation signs its own certificates: export NODE_EXTRA_CA_CERTS=/path/to/ca.pem";

function tlsFault(code: string, place: string): Finding {
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return {
      fault: `the certificate of ${place} is not valid now (${code}); here it is ${new Date().toISOString()}`,
      fix: "Check this machine's clock; else the service's certificate must be renewed.",
    };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return {
      fault: `the certificate of ${place} is for another name (${code})`,
      fix: "Use the name that the certificate is for in the address.",
    };
  }
  if (/CERT|^UNABLE_TO_|SELF_SIGNED/.test(code)) {
    return { fault: `nobody whom this machine trusts has signed the certificate of ${place} (${code})`, fix: trust };
  }
  return {
    fault: `${place} makes no TLS connection (${code})`,
    fix: "Check the port in the address: it must speak https.",
  };
}

/** Resolves to undefined when the event comes, or to the code of what came instead. The connection is closed. */
function settled(socket: Socket | TLSSocket, event: "connect" | "secureConnect"): Promise<string | undefined> {
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
