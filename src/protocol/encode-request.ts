import { isObject, type JsonObject } from "../lib/json.ts";
import { encodePart, type RequestId } from "./message.ts";

/** Metadata that all requests of a connection have, written once. */
export class SharedMeta {
  readonly members: JsonObject;
  /** The members as JSON, without braces. */
  readonly text: string;

  constructor(members: JsonObject) {
    this.members = members;
    this.text = JSON.stringify(members).slice(1, -1);
  }
}

/** The metadata of a request, beside what its params bring. */
export interface RequestMeta {
  readonly shared?: SharedMeta | undefined;
  readonly progressToken?: RequestId | undefined;
}

/** Throws UsageError for params that JSON can't hold: a BigInt, or an object that contains itself. */
export function encodeRequest(
  id: RequestId,
  method: string,
  params: JsonObject,
  meta: RequestMeta = {},
): string {
  const text = encodeParams(method, params, meta);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${text}}`;
}

function encodeParams(method: string, params: JsonObject, { shared, progressToken }: RequestMeta): string {
  if (shared === undefined && progressToken === undefined) return encodePart(method, params);
  if (!isPlain(params)) return encodePart(method, joinMeta(params, { ...shared?.members, progressToken }));
  const token = progressToken === undefined ? "" : `"progressToken":${JSON.stringify(progressToken)}`;
  const members = shared?.text && token ? `${shared.text},${token}` : shared?.text || token;
  const text = encodePart(method, params);
  return text === "{}" ? `{"_meta":{${members}}}` : `${text.slice(0, -1)},"_meta":{${members}}}`;
}

/** True for params whose JSON has the members of the object, and no metadata. */
function isPlain(params: unknown): boolean {
  return isObject(params) && params._meta === undefined && params.toJSON === undefined;
}

/** The params with more metadata, which goes before what they bring. */
export function joinMeta(params: JsonObject, meta: JsonObject): JsonObject {
  return { ...params, _meta: isObject(params._meta) ? { ...params._meta, ...meta } : meta };
}
