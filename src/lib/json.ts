export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** An object as it came off the wire: own keys only, values not looked at yet. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON that is already text, for results that are encoded once and sent often. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The text of `JSON.stringify`, with lone surrogates escaped by the engine so that
 * the bytes are always valid UTF-8, and never the word `undefined`.
 */
export function toJsonText(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  return JSON.stringify(value) ?? "null";
}
