import { isObject, type JsonObject } from "../lib/json.ts";

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

/** The params with more metadata, which goes before what they bring. */
export function joinMeta(params: JsonObject, meta: JsonObject): JsonObject {
  return { ...params, _meta: isObject(params._meta) ? { ...params._meta, ...meta } : meta };
}
