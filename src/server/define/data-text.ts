import { InvalidOutputError } from "../../errors.ts";
import { describeValue } from "../../lib/text/describe-value.ts";

/**
 * Instances that JSON writes as `{}`, or in a form that nobody reads, by the name of their class.
 *
 * The class itself would be loaded with this table: `Response` brings the whole of fetch into a process.
 */
const lossy: ReadonlyMap<string, string> = new Map([
  ["Error", "throw it, or return its message"],
  ["Map", "return Object.fromEntries(map)"],
  ["Set", "return [...set]"],
  ["Promise", "await it"],
  ["ArrayBuffer", "return image(bytes, mimeType) or another content"],
  ["Response", "return await response.text()"],
]);

/** The JSON of such instances: that of a `Buffer` has a form of its own. */
const lossyTexts = ["{}", '{"0":', '{"type":"Buffer"'];

/**
 * The JSON text of data that a handler returned. `what` names the handler.
 *
 * Throws InvalidOutputError for data that JSON can't hold, or would silently write as `{}`.
 */
export function toDataText(what: string, data: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(data);
  } catch (cause) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split("\n");
    const at = findFailure(data);
    throw new InvalidOutputError(`${what} returned data that can't be written as JSON${at}: ${reason}.`, {
      cause,
    });
  }
  if (text === undefined) {
    throw new InvalidOutputError(`${what} returned ${describeValue(data)}, which can't be written as JSON.`);
  }
  // Only these texts can come from a value that JSON does not hold, so other data is not walked.
  if (lossyTexts.some((part) => text.includes(part)) || data instanceof Error) assertLossless(what, data);
  return text;
}

function assertLossless(what: string, data: unknown): void {
  // Places take several times as long as the rest of the walk, so they wait until one is needed.
  if (!hasLossy(data)) return;
  visitMembers(data, (value, at) => {
    const instead = findInstead(value);
    if (instead === undefined) return;
    throw new InvalidOutputError(
      `${what} returned ${describeValue(value)}${at}, which JSON can't hold; ${instead}.`,
    );
  });
}

function hasLossy(data: unknown): boolean {
  let isFound = false;
  JSON.stringify(data, function (this: { [name: string]: unknown }, name, written: unknown) {
    isFound ||= findInstead(this[name]) !== undefined;
    return isFound ? undefined : written;
  });
  return isFound;
}

/** The place of the member that can't be written. */
function findFailure(data: unknown): string {
  let last = "";
  try {
    visitMembers(data, (_, at) => {
      last = at;
    });
  } catch {
    // The failure is known; it is at the member that was visited last.
  }
  return last;
}

/** Visits all members as they are written, with their places: ` at "rows[0].id"`, and nothing for the root. */
function visitMembers(data: unknown, visit: (value: unknown, at: string) => void): void {
  const paths = new Map<unknown, string>();
  // A function with `this`, since the second argument is what `toJSON` made of the value.
  JSON.stringify(data, function (this: { [name: string]: unknown }, name, written: unknown) {
    const above = paths.get(this);
    const path = Array.isArray(this) ? `${above}[${name}]` : above ? `${above}.${name}` : name;
    paths.set(written, path);
    visit(this[name], path && ` at "${path}"`);
    return written;
  });
}

/** The advice for an object that JSON can't hold: the value to return instead. */
function findInstead(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const instead = lossy.get(kindOf(value));
  if (instead !== undefined) return instead;
  if (isPlain(value) || "toJSON" in value || Object.keys(value).length > 0) return undefined;
  const isSeries = Symbol.iterator in value || Symbol.asyncIterator in value;
  return isSeries ? "return an array of its values" : "return a string, content or a plain object";
}

function kindOf(value: object): string {
  if (value instanceof Error) return "Error";
  return ArrayBuffer.isView(value) ? "ArrayBuffer" : Object.prototype.toString.call(value).slice(8, -1);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of plain objects has none itself, also in another realm.
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}
