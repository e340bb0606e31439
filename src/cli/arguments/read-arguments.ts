import { isObject, type JsonObject } from "../../lib/json.ts";
import { didYouMean } from "../../lib/text/did-you-mean.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { coerceText } from "./coerce.ts";
import { propertiesOf, resolveReference, typesOf } from "./schema-view.ts";

/**
 * Reads `key=value` and `key:=json` by the schema of the arguments.
 *
 * A key that comes again adds to an array. `a.b=1` sets a member of the object `a`.
 */
export function readArguments(words: readonly string[], schema: JsonObject): JsonObject {
  const values: Record<string, unknown> = {};
  for (const word of words) {
    const found = /^(.+?)(:=|=)([\s\S]*)$/.exec(word);
    const [, key = "", sign, text = ""] = found ?? [];
    if (isJsonObject(word)) throw jsonAsWord();
    if (!found) throw usage(`An argument is key=value or key:=json, not ${JSON.stringify(word)}.`);
    setAt(values, findPlace(key, schema), (place) =>
      sign === ":=" ? parseJson(key, text) : coerceText(text, place.schema, schema),
    );
  }
  return values;
}

interface Place {
  /** The keys from the outermost object to the value. */
  readonly path: readonly string[];
  readonly schema: JsonObject;
}

function findPlace(key: string, root: JsonObject): Place {
  const path: string[] = [];
  let schema = root;
  let rest = key;
  while (rest !== "") {
    const properties = propertiesOf(schema);
    const dot = Object.hasOwn(properties, rest) ? -1 : rest.indexOf(".");
    const head = dot > 0 ? rest.slice(0, dot) : rest;
    const isNested = dot > 0 && Object.hasOwn(properties, head);
    const name = isNested ? head : rest;
    assertKnown(name, schema, properties);
    path.push(name);
    schema = resolveReference(properties[name] ?? {}, root);
    rest = isNested ? rest.slice(dot + 1) : "";
  }
  return { path, schema };
}

/** Refuses a misspelled key here, where a hint can be given; other unknown keys are for the schema to judge. */
function assertKnown(name: string, schema: JsonObject, properties: JsonObject): void {
  if (Object.hasOwn(properties, name) || schema.additionalProperties !== false) {
    if (Object.hasOwn(properties, name) || didYouMean(name, Object.keys(properties)) === "") return;
  }
  const names = Object.keys(properties);
  const hint = didYouMean(name, names) || `; there are ${names.join(", ") || "none"}.`;
  throw usage(`There is no argument ${JSON.stringify(name)}${hint}`);
}

function setAt(values: Record<string, unknown>, place: Place, read: (place: Place) => unknown): void {
  const value = read(place);
  let holder = values;
  for (const key of place.path.slice(0, -1)) {
    const next = Object.hasOwn(holder, key) ? holder[key] : undefined;
    const made: Record<string, unknown> = isObject(next) ? { ...next } : {};
    define(holder, key, made);
    holder = made;
  }
  const last = place.path.at(-1) ?? "";
  const before = Object.hasOwn(holder, last) ? holder[last] : undefined;
  const isList = typesOf(place.schema).has("array") && !Array.isArray(value);
  if (isList) define(holder, last, [...(Array.isArray(before) ? before : []), itemOf(value, place.schema)]);
  else if (before !== undefined)
    throw usage(`The argument ${JSON.stringify(place.path.join("."))} is given twice.`);
  else define(holder, last, value);
}

function itemOf(value: unknown, schema: JsonObject): unknown {
  return typeof value === "string" && isObject(schema.items) ? coerceText(value, schema.items) : value;
}

/** Sets an own member, also one called `__proto__`. */
function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}

function isJsonObject(word: string): boolean {
  if (!word.startsWith("{")) return false;
  try {
    return isObject(JSON.parse(word));
  } catch {
    return false;
  }
}

function jsonAsWord(): CommandError {
  return new CommandError("A JSON object goes to standard input.", ExitCode.usage, {
    hint: "Write: echo '{…}' | allspeak call … -\nOne argument can be JSON: key:='{…}'",
  });
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usage(`${key}:= takes JSON, and ${JSON.stringify(text)} is not JSON.`, cause);
  }
}

function usage(message: string, cause?: unknown): CommandError {
  return new CommandError(message, ExitCode.usage, { cause });
}
