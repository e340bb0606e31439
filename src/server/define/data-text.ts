import { InvalidOutputError } from "../../errors.ts";
import { describeValue } from "../../lib/describe-value.ts";

/** Instances that JSON writes as `{}`, or as an object of numbered members. */
const lossy: readonly [kind: new (...args: never[]) => object, instead: string][] = [
  [Error, "throw it, or return its message"],
  [Map, "return Object.fromEntries(map)"],
  [Set, "return [...set]"],
  [Promise, "await it"],
  [ArrayBuffer, "return image(bytes, mimeType) or another content"],
];

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
    throw new InvalidOutputError(`${what} returned data that can't be written as JSON: ${reason}.`, {
      cause,
    });
  }
  if (text === undefined) {
    throw new InvalidOutputError(`${what} returned ${describeValue(data)}, which can't be written as JSON.`);
  }
  // Only these texts can come from a value that JSON does not hold, so other data is not walked.
  if (text.includes("{}") || text.includes('{"0":')) assertLossless(what, data);
  return text;
}

function assertLossless(what: string, data: unknown): void {
  JSON.stringify(data, (_, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const kind = ArrayBuffer.isView(value) ? ArrayBuffer : undefined;
    const found = lossy.find(([type]) => value instanceof type || type === kind);
    if (found === undefined) return value;
    throw new InvalidOutputError(
      `${what} returned ${describeValue(value)}, which JSON can't hold; ${found[1]}.`,
    );
  });
}
