import { InvalidOutputError } from "../../../errors.ts";
import { toBase64 } from "../../../lib/encoding/base64.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { describeValue } from "../../../lib/text/describe-value.ts";
import { checkResourceContents } from "../../../protocol/check/model-check.ts";
import type { ResourceContents } from "../../../protocol/model/resource.ts";
import { isInputRequired } from "../../define/input-required.ts";
import type { CompiledResource, CompiledTemplate } from "../../define/resource.ts";

/** Makes a `resources/read` result of a handler's return value. */
export function toReadResult(
  compiled: CompiledResource | CompiledTemplate,
  uri: string,
  returned: unknown,
): JsonObject {
  if (isInputRequired(returned)) return returned;
  const { ttlMs, cacheScope, mimeType } = compiled.options;
  const hints = { ...(ttlMs !== undefined && { ttlMs }), ...(cacheScope && { cacheScope }) };
  const whole = isObject(returned) && Array.isArray(returned.contents) ? returned : undefined;
  const given: unknown = whole ? whole.contents : returned;
  const items: readonly unknown[] = Array.isArray(given) ? given : [given];
  const contents = items.map((item) => toContents(item, uri, mimeType));
  return { ...hints, ...whole, contents };
}

function toContents(item: unknown, uri: string, mimeType: string | undefined): ResourceContents {
  const described = { uri, ...(mimeType !== undefined && { mimeType }) };
  if (typeof item === "string") return { mimeType: "text/plain", ...described, text: item };
  if (item instanceof Uint8Array) return { ...described, blob: toBase64(item) };
  const contents = isObject(item) ? { ...described, ...item } : item;
  if (checkResourceContents(contents) === undefined) return contents as ResourceContents;
  const hint =
    item === undefined || item === null
      ? "throw ResourceNotFoundError(uri) if there is nothing"
      : "write data as JSON.stringify(data)";
  throw new InvalidOutputError(
    `The resource ${uri} returned ${describeValue(item)}; return text, bytes (Uint8Array), { text } or { blob }; ${hint}.`,
  );
}
