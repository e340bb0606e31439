import type { RequestOptions } from "../../contract/channel.ts";
import { InvalidResponseError, RpcError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { isNestedDeeper } from "../../lib/json-depth.ts";
import { cutText } from "../../lib/text/well-formed.ts";
import { DeepResult } from "../../protocol/model/deep-result.ts";
import { maxDepth } from "../../protocol/parse.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import { assertListSize } from "./list-limits.ts";

/** A list whose page could not be had. */
export interface RefusedList {
  readonly method: string;
  /** The member of the result that has the items. */
  readonly key: string;
  /** False when the server did not promise the method; then its refusal is an error. Default true. */
  readonly isDeclared?: boolean | undefined;
  /** Receives a fault of the server that ends the list early but leaves its items usable. */
  onFault(fault: InvalidResponseError): void;
}

/** The usable part of a page whose request failed, after a report of the fault; throws the error if there is none. */
export function readRefusedPage(
  request: RefusedList,
  error: unknown,
  onSize: RequestOptions["onSize"],
): JsonObject {
  if (error instanceof RpcError && error.wireCode === WireCode.methodNotFound)
    return readUnknownList(request, error);
  if (error instanceof InvalidResponseError && error.cause instanceof DeepResult) {
    const { result, size } = error.cause;
    onSize?.(size);
    return leaveOutDeepItems(request, result, error.message);
  }
  throw error;
}

/** An empty page, if the server does not know a method that it promised. */
function readUnknownList(
  { method, key, isDeclared = true, onFault }: RefusedList,
  error: RpcError,
): JsonObject {
  if (!isDeclared) throw error;
  const problem = `The server declares that it has ${key}, and does not know ${method}; the list is taken as empty.`;
  onFault(new InvalidResponseError(problem, { cause: error }));
  return { [key]: [] };
}

/** The levels of a page around an item: the message, its result and the list. */
const levelsAround = 3;
/** Characters of an item's name in a report. */
const maxName = 100;

/** A page without the items that are nested too deep. Its errors don't hold the page: it may be large. */
function leaveOutDeepItems(
  { method, key, onFault }: RefusedList,
  result: JsonObject,
  problem: string,
): JsonObject {
  const items: unknown = result[key];
  if (!Array.isArray(items)) throw new InvalidResponseError(problem);
  assertListSize(method, { items: items.length });
  const deep: unknown[] = [];
  const kept = items.filter((item) => {
    const isUsable = !isNestedDeeper(item, maxDepth - levelsAround);
    if (!isUsable) deep.push(item);
    return isUsable;
  });
  const page = { ...result, [key]: kept };
  if (isNestedDeeper(page, maxDepth - 1)) throw new InvalidResponseError(problem);
  const { name }: { name?: unknown } = Object(deep[0]);
  const first = typeof name === "string" ? ` (the first is ${JSON.stringify(cutText(name, maxName))})` : "";
  const count = `${deep.length} of ${items.length} ${key}`;
  onFault(
    new InvalidResponseError(
      `${method}: ${count} can't be used: nested deeper than ${maxDepth} levels${first}.`,
    ),
  );
  return page;
}
