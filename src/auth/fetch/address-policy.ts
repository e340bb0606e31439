import ipaddr from "ipaddr.js";
import { AuthorizationError } from "../../errors.ts";
import { toPrintable } from "../printable.ts";

/** Which addresses may be asked on behalf of a server. */
export interface AddressPolicy {
  /** Only where the server itself is on this machine: others have no business there. */
  readonly loopback: boolean;
  /** Hosts that may have private addresses. */
  readonly privateHosts: readonly string[];
}

const givenOut = ipaddr.IPv6.parseCIDR("2000::/3");
const privateRanges = ["private", "uniqueLocal", "carrierGradeNat"];

export function toAddressPolicy(server: URL, privateHosts: readonly string[] = []): AddressPolicy {
  // The user wrote this address down, so it hides nothing.
  const own = isAddress(server) ? [hostOf(server)] : [];
  return { loopback: isLoopbackUrl(server), privateHosts: [...privateHosts, ...own] };
}

/** Refuses what may not be asked, as far as the URL itself tells. */
export function assertSafeUrl(url: URL, policy: AddressPolicy): void {
  const { protocol, username, password } = url;
  if (protocol !== "https:" && protocol !== "http:")
    throw unsafe(url, `${protocol} is neither https nor http`);
  if (username !== "" || password !== "") throw unsafe(url, "it carries credentials");
  if (isLoopbackUrl(url)) {
    if (!policy.loopback) throw unsafe(url, "it is on this machine, and the server is not");
    return;
  }
  if (protocol === "http:") throw unsafe(url, "it is not encrypted");
  if (isAddress(url)) assertSafeAddress(hostOf(url), url, policy);
}

/** Refuses an address that a name was resolved to. */
export function assertSafeAddress(address: string, url: URL, policy: AddressPolicy): void {
  const range = rangeOf(address);
  if (range === "unicast") return;
  if (range === "loopback" && policy.loopback && isLoopbackUrl(url)) return;
  if (privateRanges.includes(range) && policy.privateHosts.includes(hostOf(url))) return;
  throw unsafe(
    url,
    `its address ${address} is ${range}; name the host in privateHosts if it may be asked nevertheless`,
  );
}

function rangeOf(text: string): string {
  if (!ipaddr.isValid(text)) return "invalid";
  const address = ipaddr.process(text);
  const range = address.range();
  // Of IPv6 only 2000::/3 is given out; the rest may be another way to write an address in here.
  const isStray = range === "unicast" && address instanceof ipaddr.IPv6 && !address.match(givenOut);
  return isStray ? "reserved" : range;
}

export function isLoopbackUrl(url: URL): boolean {
  const host = hostOf(url);
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}

function isAddress(url: URL): boolean {
  return ipaddr.isValid(hostOf(url));
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function unsafe(url: URL, why: string): AuthorizationError {
  const shown = toPrintable(url.origin === "null" ? url.protocol : url.origin);
  return new AuthorizationError(`${shown} is not asked: ${why}.`, "unsafe-address");
}
