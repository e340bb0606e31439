import { toAddressKey } from "../../../lib/bounded/address-key.ts";
import { isLoopbackHost } from "../../../lib/loopback.ts";

const addresses = new WeakMap<Request, string>();

/**
 * The same request, with the address of its client, as far as it is known.
 *
 * An address of this machine is that of a proxy in front that is not trusted: all clients have it.
 */
export function withAddress(request: Request, address: string | undefined): Request {
  if (address !== undefined && !isLoopbackHost(address)) addresses.set(request, toAddressKey(address));
  return request;
}

/** The key of the client's address, which distinguishes clients; undefined where it is not known. */
export function addressKeyOf(request: Request): string | undefined {
  return addresses.get(request);
}
