/**
 * The proxies in front of this server that are trusted with the address of a client.
 *
 * A number: the proxies that stand in front, each of which adds the address it saw to
 * `X-Forwarded-For`. A string: the header in which the platform puts the address, such as
 * `cf-connecting-ip`. A client that can reach the server past them can claim any address.
 */
export type TrustProxy = number | string;

interface AddressedRequest {
  readonly address: string | undefined;
  header(name: string): string | undefined;
}

const withPort = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/;
const v4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const v6 = /^(?=[^:]*:)[0-9a-f:]{2,39}$/;

/** The address that a request came from, as far as it is known; no header is trusted without `trust`. */
export function readClientAddress(request: AddressedRequest, trust?: TrustProxy): string | undefined {
  const claimed = trust === undefined ? undefined : readClaim(request, trust);
  return claimed ?? withoutMapping(request.address);
}

function readClaim(request: AddressedRequest, trust: TrustProxy): string | undefined {
  if (typeof trust === "string") return toAddress(request.header(trust.toLowerCase()) ?? "");
  const seen = request.header("x-forwarded-for")?.split(",") ?? [];
  return toAddress(seen[Math.max(0, seen.length - trust)] ?? "");
}

/** The address without port, brackets and zone; undefined when the text is not an address. */
function toAddress(text: string): string | undefined {
  const [, inBrackets, beforePort] = withPort.exec(text.trim()) ?? [];
  const address = inBrackets ?? beforePort ?? text.trim();
  const [plain = ""] = withoutMapping(address.toLowerCase())?.split("%") ?? [];
  return v4.test(plain) || v6.test(plain) ? plain : undefined;
}

/** A socket that listens to both families gives IPv4 addresses in the form of IPv6. */
export function withoutMapping(address: string | undefined): string | undefined {
  return address?.startsWith("::ffff:") && address.includes(".") ? address.slice(7) : address;
}
