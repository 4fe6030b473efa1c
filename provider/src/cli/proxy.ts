import { isIP } from "node:net";

/** A proxy that the environment puts between this machine and the service. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  /** The variable that names it. */
  readonly from: string;
}

/** The proxy that requests to this address take, as HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY say. */
export function proxyFor(address: URL): Proxy | undefined {
  const scheme = address.protocol.replace(":", "");
  const [name, text] = variable(`${scheme}_proxy`) ?? variable("all_proxy") ?? [];
  if (name === undefined || text === undefined || isExempt(address)) return undefined;
  const full = text.includes("://") ? text : `http://${text}`;
  if (!URL.canParse(full)) return undefined;
  const url = new URL(full);
  return { host: bare(url.hostname), port: portOf(url), from: name };
}

/** A host as sockets take it: without the brackets of an IPv6 address. */
export const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, "");

export const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));

function isExempt(address: URL): boolean {
  const host = bare(address.hostname);
  return (variable("no_proxy")?.[1] ?? "").split(/[\s,]+/).some((entry) => {
    const [, pattern = "", port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (pattern === "" || (port !== undefined && Number(port) !== portOf(address))) return false;
    if (pattern === "*" || pattern === host) return true;
    const suffix = pattern.replace(/^\*?\.?/, ".");
    return isIP(host) === 0 && host.endsWith(suffix);
  });
}

function variable(name: string): [name: string, text: string] | undefined {
  for (const spelling of [name, name.toUpperCase()]) {
    const text = process.env[spelling];
    if (text !== undefined && text !== "") return [spelling, text];
  }
  return undefined;
}
