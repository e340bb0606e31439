import type { Call } from "../../contract/call.ts";
import type { Mount } from "../../contract/mount.ts";
import { RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Method } from "../../protocol/method.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { State } from "../../state/state.ts";
import { deriveCall } from "../derive-call.ts";

/** Another server's catalog under a prefix. */
export interface Mounted {
  readonly prefix: string;
  readonly mount: Mount;
  readonly position: number;
  /** The secrets of the mounting server. */
  readonly secrets: readonly string[] | undefined;
}

/** One item of a list with its position. */
export interface ListedItem {
  readonly position: readonly number[];
  readonly item: JsonObject;
}

// A mounted server that pages without end must not hold the list indefinitely.
const maxPages = 1000;

function prefixed(mounted: Mounted, name: string): string {
  return mounted.prefix === "" ? name : `${mounted.prefix}_${name}`;
}

/** The first mount with this capability whose prefix the name has, and the name inside it. */
export function findMount(
  mounts: readonly Mounted[],
  name: string,
  capability: string,
): { readonly mounted: Mounted; readonly name: string } | undefined {
  for (const mounted of mounts) {
    const inner = unprefixed(mounted, name);
    if (inner !== undefined && hasCapability(mounted.mount.capabilities, capability))
      return { mounted, name: inner };
  }
  return undefined;
}

/** The name inside the mount; undefined if the name does not have its prefix. */
export function unprefixed(mounted: Mounted, name: string): string | undefined {
  if (mounted.prefix === "") return name;
  return name.startsWith(`${mounted.prefix}_`) ? name.slice(mounted.prefix.length + 1) : undefined;
}

/** Sends a request to a mount on behalf of the caller. An error response of the mount is passed on unchanged. */
export async function requestMounted(
  { mount, prefix, secrets }: Mounted,
  call: Call,
  params: JsonObject,
  state?: State,
): Promise<JsonObject> {
  try {
    const path = [...(call.path ?? []), prefix];
    return await mount.request(deriveCall(call, { params, state, path, secrets }));
  } catch (error) {
    if (!(error instanceof RpcError) || !error.isReceived) throw error;
    throw new RpcError(error.wireCode, error.message, error.data, { cause: error });
  }
}

/** All items of a mount, with prefixed names. */
export async function listMounted(
  mounted: Mounted,
  call: Call,
  { needs, list }: Method,
): Promise<ListedItem[]> {
  if (list === undefined) return [];
  if (needs && !hasCapability(mounted.mount.capabilities, needs.capability)) return [];
  const items: ListedItem[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const { _meta } = call.params;
    const params = { ...(_meta !== undefined && { _meta }), ...(cursor !== undefined && { cursor }) };
    const result = await requestMounted(mounted, call, params);
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
