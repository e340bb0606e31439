import type { Call } from "../../contract/call.ts";
import { RpcError } from "../../errors.ts";
import { waitAtMost } from "../../lib/async/wait-at-most.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Method } from "../../protocol/method.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { State } from "../../state/state.ts";
import { deriveCall } from "../derive-call.ts";
import { isLackOfCaller } from "../errors/rpc-error-origin.ts";
import { MountFailure, toMountFailure } from "./mount-failure.ts";
import { type Mounted, prefixed } from "./mounts.ts";

/** One item of a list with its position. */
export interface ListedItem {
  readonly position: readonly number[];
  readonly item: JsonObject;
}

// A mounted server that pages without end must not hold the list indefinitely.
const maxPages = 1000;
/** The time that a mount has for a list; its host's caller waits for about a minute. */
const maxListMs = 15_000;

/**
 * Sends a request to a mount on behalf of the caller. An error response of the mount is passed on unchanged;
 * throws MountFailure if there is no answer.
 */
export async function requestMounted(
  mounted: Mounted,
  call: Call,
  params: JsonObject,
  options: { readonly state?: State | undefined; readonly signal?: AbortSignal } = {},
): Promise<JsonObject> {
  try {
    return await mounted.mount.request(toMountedCall(mounted, call, { params, ...options }));
  } catch (error) {
    if (error instanceof RpcError) throw error.isReceived ? toPassedError(error) : error;
    if (call.signal.aborted || isLackOfCaller(error)) throw error;
    throw toMountFailure(mounted, error);
  }
}

/** The error for the caller. What a mounted client was advised to do is not for it. */
function toPassedError(error: RpcError): RpcError {
  const { cause } = error;
  const { wireCode, message, data } = cause instanceof RpcError && cause.isReceived ? cause : error;
  return new RpcError(wireCode, message, data, { cause: error });
}

/** A call of the same caller, as the mount gets it. */
export function toMountedCall(
  { prefix, secrets }: Mounted,
  call: Call,
  changes: { readonly params: JsonObject; readonly state?: State | undefined; readonly signal?: AbortSignal },
): Call {
  return deriveCall(call, { ...changes, path: [...(call.path ?? []), prefix], secrets });
}

/** All items of a mount, with prefixed names; undefined, after a report, if it does not list them. */
export async function listMounted(
  mounted: Mounted,
  call: Call,
  row: Method,
): Promise<ListedItem[] | undefined> {
  const { needs } = row;
  if (needs && !hasCapability(mounted.mount.capabilities, needs.capability)) return [];
  const late = new AbortController();
  const onLate = () => {
    late.abort();
    throw new Error(`${row.name} took longer than ${maxListMs} ms.`);
  };
  try {
    const signal = AbortSignal.any([call.signal, late.signal]);
    return await waitAtMost(maxListMs, readPages(mounted, call, row, signal), onLate);
  } catch (error) {
    if (call.signal.aborted) throw error;
    // The failure of a mount has been reported.
    if (!(error instanceof MountFailure))
      mounted.report(`The server "${mounted.label}" did not answer ${row.name}`, error);
    return undefined;
  }
}

async function readPages(
  mounted: Mounted,
  call: Call,
  { list }: Method,
  signal: AbortSignal,
): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  let cursor: unknown;
  for (let page = 0; list && page < maxPages; page++) {
    const { _meta } = call.params;
    const params = { ...(_meta !== undefined && { _meta }), ...(cursor !== undefined && { cursor }) };
    const result = await requestMounted(mounted, call, params, { signal });
    const found = result[list.items];
    for (const item of Array.isArray(found) ? found.filter(isObject) : []) {
      const renamed = list.prefixed ? { ...item, name: prefixed(mounted, String(item.name)) } : item;
      items.push({ position: [mounted.position, items.length], item: renamed });
    }
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return items;
}
