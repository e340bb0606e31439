import { assertSafeAddress, assertSafeUrl } from "./address-policy.ts";
import { platformFetch } from "./platform.ts";

/** A `fetch` for documents of strangers, who must not make this server ask its neighbours. */
export function createDocumentFetch(
  allowLoopback: boolean,
): (url: string, init: RequestInit) => Promise<Response> {
  const send = platformFetch(undefined);
  const policy = { loopback: allowLoopback, privateHosts: [] };
  return async (address, init) => {
    const url = new URL(address);
    assertSafeUrl(url, policy);
    return send(url, { ...init, redirect: "manual" }, (found) => assertSafeAddress(found, url, policy));
  };
}
