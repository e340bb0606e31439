/*
 * Two questions about one set of hosts, the loopback hosts of Secure Contexts (section 3.1): 127.0.0.0/8, ::1,
 * `localhost`, and names under `.localhost`, which nobody can register (RFC 6761, section 6.3).
 *
 * `isLoopbackHost` asks for the set, however the host is spelled. It is for URLs that the user wrote, and for
 * what must not be reached from outside: there a spelling that is overlooked is a hole.
 *
 * `isCanonicalLoopbackHost` asks for those that every program takes for this machine, in the spelling that URLs
 * have: `localhost`, 127.0.0.0/8 and ::1. It is for text of strangers, such as the Host header and redirect URIs,
 * and where trust follows, such as `http:` for keys and an address to listen on: there an unusual spelling is
 * refused. Names under `.localhost` are not among them, since some resolvers ask the network about them.
 */

/** True for every spelling of a loopback host, with or without brackets. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  if (isLoopbackV4(name)) return true;
  const groups = toGroups(name.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, ""));
  if (groups === undefined) return false;
  const [marker, high = 0, low] = groups.slice(5);
  if (groups.slice(0, 5).some((group) => group !== 0)) return false;
  const isMapped = marker === 0xffff;
  return isMapped ? high >> 8 === 127 : marker === 0 && high === 0 && low === 1;
}

/** True for a loopback host as URLs spell it, with or without brackets, and only if every resolver agrees. */
export function isCanonicalLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || isLoopbackV4(host);
}

function isLoopbackV4(host: string): boolean {
  return /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/.test(host);
}

/** The eight groups of an IPv6 address; undefined when it is none. */
function toGroups(address: string): readonly number[] | undefined {
  const sides = withoutDots(address)?.split("::");
  if (sides === undefined || sides.length > 2) return undefined;
  const [front = [], back = []] = sides.map((side) => (side === "" ? [] : side.split(":")));
  const missing = 8 - front.length - back.length;
  if (sides.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...front, ...Array<string>(missing).fill("0"), ...back];
  return groups.every((group) => /^[\da-f]{1,4}$/.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}

/** An IPv4 address at the end, written as two groups. */
function withoutDots(address: string): string | undefined {
  if (!address.includes(".")) return address;
  const [, front, ...parts] = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address) ?? [];
  const [a = 256, b = 256, c = 256, d = 256] = parts.map(Number);
  if (front === undefined || Math.max(a, b, c, d) > 255) return undefined;
  return `${front}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
