import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";

/** The resolver of host names; as `dns.lookup` with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Sends one request, and connects only to addresses that were checked.
 *
 * Threat: DNS rebinding. A check that resolves the name separately proves nothing, because the owner of the
 * name may return another address to the next query.
 */
export function pinnedFetch(
  url: URL,
  init: RequestInit,
  check: (address: string) => void,
  lookup: Lookup = systemLookup,
): Promise<Response> {
  const { method = "GET", headers, body, signal } = init;
  const options: RequestOptions = {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    lookup: checkedLookup(check, lookup),
    // A reused connection was checked for another caller.
    agent: false,
    ...(signal && { signal }),
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const request = send(url, options, (incoming) => {
      try {
        resolve(toResponse(incoming));
      } catch (error) {
        incoming.destroy();
        reject(error);
      }
    });
    request.on("error", reject);
    request.end(body === undefined || body === null ? undefined : String(body));
  });
}

function toResponse(incoming: IncomingMessage): Response {
  const { rawHeaders, statusCode: status = 0 } = incoming;
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}

/** Resolves a name as the system does; allows a connection only if every address passes the check. */
function checkedLookup(check: (address: string) => void, lookup: Lookup): LookupFunction {
  return (hostname, { hints, family }, callback) => {
    const wanted = { all: true as const, ...(hints !== undefined && { hints }), family: family ?? 0 };
    lookup(hostname, wanted as LookupAllOptions, (error, addresses) => {
      if (error) return callback(error, "");
      try {
        for (const { address } of addresses) check(address);
      } catch (refusal) {
        return callback(refusal as NodeJS.ErrnoException, "");
      }
      return (callback as unknown as (error: null, found: LookupAddress[]) => void)(null, addresses);
    });
  };
}
