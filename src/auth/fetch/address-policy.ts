import ipaddr from "ipaddr.js";
import { AuthorizationError } from "../../errors.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";
import { toAsciiLine } from "../ascii-line.ts";

/** The addresses that may be requested on behalf of a server (SSRF protection). */
export interface AddressPolicy {
  /** Allows loopback; true only if the server itself is on this machine. */
  readonly loopback: boolean;
  /** Hosts that may have private addresses. */
  readonly privateHosts: readonly string[];
}

const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");
const privateRanges = ["private", "uniqueLocal", "carrierGradeNat"];

export function toAddressPolicy(server: URL, privateHosts: readonly string[] = []): AddressPolicy {
  // The host chose the server's address itself, so a private one is intended.
  const own = isAddress(server) ? [hostOf(server)] : [];
  return { loopback: isLoopbackUrl(server), privateHosts: [...privateHosts, ...own] };
}

/** Refuses a URL by its scheme, its credentials or an address written in it. */
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

/** Refuses an address that a host name was resolved to. */
export function assertSafeAddress(address: string, url: URL, policy: AddressPolicy): void {
  const range = rangeOf(address);
  if (range === "unicast") return;
  if (range === "loopback" && policy.loopback && isLoopbackUrl(url)) return;
  if (privateRanges.includes(range) && policy.privateHosts.includes(hostOf(url))) return;
  throw unsafe(url, `its address ${address} is ${range}; add the host to privateHosts to allow it`);
}

function rangeOf(text: string): string {
  if (!ipaddr.isValid(text)) return "invalid";
  const address = ipaddr.process(text);
  const range = address.range();
  // Only 2000::/3 is global unicast; other IPv6 ranges can embed a private IPv4 address.
  const isUnallocated =
    range === "unicast" && address instanceof ipaddr.IPv6 && !address.match(globalUnicast);
  return isUnallocated ? "reserved" : range;
}

export function isLoopbackUrl(url: URL): boolean {
  return isLoopbackHost(url.hostname);
}

function isAddress(url: URL): boolean {
  return ipaddr.isValid(hostOf(url));
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function unsafe(url: URL, why: string): AuthorizationError {
  const shown = toAsciiLine(url.origin === "null" ? url.protocol : url.origin);
  return new AuthorizationError(`The request to ${shown} is refused: ${why}.`, "unsafe-address");
}
