import { platform } from "#platform";
import { assertSafeAddress, assertSafeUrl } from "./address-policy.ts";

/** A `fetch` for documents of strangers, who must not make this server ask its neighbours. */
export function createDocumentFetch(
  allowLoopback: boolean,
): (url: string, init: RequestInit) => Promise<Response> {
  const send = platform.fetch;
  const policy = { loopback: allowLoopback, privateHosts: [] };
  return async (address, init) => {
    const url = new URL(address);
    assertSafeUrl(url, policy);
    return send(url, { ...init, redirect: "manual" }, (found) => assertSafeAddress(found, url, policy));
  };
}
