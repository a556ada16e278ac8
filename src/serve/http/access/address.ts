// Addresses: which are loopback, and which Host and Origin values name this server.
import { BlockList, isIP } from "node:net";
import { Refusal } from "../../../core/failure.ts";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  if (address.toLowerCase() === "localhost") return true;
  const plain = address.replace(/^\[|\]$/g, "").replace(/^::ffff:(?=\d+\.)/i, "");
  const family = isIP(plain);
  return family !== 0 && LOOPBACK.check(plain, family === 6 ? "ipv6" : "ipv4");
}

/** As it stands in a URL. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The exact Host values of a server at this address; whatever else it is called by, its owner must say. */
export function ownHosts(host: string, port: number): string[] {
  const names = new Set(["127.0.0.1", "localhost", "[::1]", urlHost(host).toLowerCase()]);
  return [...names].flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

/** As a request would have it; what could never equal a Host is refused. */
export function exactHost(given: string): string {
  const host = given.toLowerCase();
  if (/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(host)) return host;
  throw new Refusal("invalid_input", `${JSON.stringify(given)} is not a host, or a host and a port.`, {
    next: 'Name each allowed host exactly, like "files.example" or "files.example:8443".',
  });
}

export function exactOrigin(given: string): string {
  const [, scheme, host] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(given) ?? [];
  if (scheme !== undefined && host !== undefined) return `${scheme.toLowerCase()}://${exactHost(host)}`;
  throw new Refusal("invalid_input", `${JSON.stringify(given)} is not an origin.`, {
    next: 'Name each allowed origin exactly, like "https://files.example".',
  });
}
