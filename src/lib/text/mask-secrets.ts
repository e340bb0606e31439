import { isObject, type JsonObject } from "../json.ts";
import { isSecretOption, mask, maskText } from "./mask-text.ts";
import { isSecretValue } from "./secret-name.ts";

/** Decides whether the value of a header or of a member is a secret. */
export type IsSecret = (name: string, value: unknown) => boolean;

/** Deeper values are masked whole. A message of 128 levels, and what is around it, is not as deep. */
const maxDepth = 160;

/** The value of a header, masked by its name and by its form. */
export function maskHeader(name: string, value: string): string {
  return isSecretValue(name, value) ? mask : maskText(value);
}

/** A copy of a JSON value without secrets: all strings and numbers below the name of one, and those in texts. */
export function maskJson(value: unknown, isSecret: IsSecret = isSecretValue): unknown {
  return new JsonMask(isSecret).copy(value, 0);
}

class JsonMask {
  readonly #isSecret: IsSecret;

  constructor(isSecret: IsSecret) {
    this.#isSecret = isSecret;
  }

  copy(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.#copyText(value, depth);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= maxDepth) return mask;
    if (Array.isArray(value))
      return value.map((item, index) =>
        isSecretOption(value[index - 1]) ? hide(item, depth + 1) : this.#copyItem(item, depth + 1),
      );
    return isObject(value) ? this.#copyMembers(value, depth + 1) : value;
  }

  #copyMembers(object: JsonObject, depth: number): JsonObject {
    const pair = [object.name, object.key, object.header].find((name) => typeof name === "string");
    const members = Object.entries(object).map(([name, member]) => {
      const isSecret =
        this.#isSecret(name, member) ||
        (name === "value" && typeof pair === "string" && this.#isSecret(pair, member));
      if (isSecret) return [name, hide(member, depth)];
      const isSchemas = schemaMaps.has(name) && isObject(member) && Object.values(member).every(isObject);
      return [name, isSchemas ? this.#copySchemas(member, depth + 1) : this.copy(member, depth)];
    });
    return Object.fromEntries(members);
  }

  /** Schemas by the names of what they describe, which hold no secret. */
  #copySchemas(schemas: JsonObject, depth: number): unknown {
    if (depth >= maxDepth) return mask;
    return Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, this.copy(schema, depth)]),
    );
  }

  /** An item of a list, which may be a pair of a name and its value. */
  #copyItem(item: unknown, depth: number): unknown {
    if (!Array.isArray(item) || item.length !== 2) return this.copy(item, depth);
    const [name, value] = item;
    const isPair = typeof name === "string" && this.#isSecret(name, value);
    return isPair ? [name, hide(value, depth)] : this.copy(item, depth);
  }

  /** A text that is JSON is masked like JSON, and stays as it is if there is no secret in it. */
  #copyText(text: string, depth: number): string {
    const value = /^\s*[[{]/.test(text) ? parse(text) : undefined;
    if (value === undefined || depth >= maxDepth) return maskText(text);
    const masked = JSON.stringify(this.copy(value, depth + 1));
    return isSame(masked, value) ? text : masked;
  }
}

const schemaMaps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

/** A value with all strings and numbers in it masked. */
function hide(value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "number") return mask;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return mask;
  if (Array.isArray(value)) return value.map((item) => hide(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hide(member, depth + 1)]));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text of another kind.
    return undefined;
  }
}

function isSame(masked: string, value: unknown): boolean {
  try {
    return masked === JSON.stringify(value);
  } catch {
    // Nested too deeply for JSON.stringify, and so masked.
    return false;
  }
}
