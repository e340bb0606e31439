import { isObject } from "./json.ts";
import { describeValue } from "./text/describe-value.ts";
import { didYouMean } from "./text/did-you-mean.ts";

interface OptionTypes {
  readonly any: string;
  readonly array: string;
  /** The value of `oauth()`, `staticToken()` and the like. */
  readonly auth: string;
  readonly boolean: string;
  /** Capabilities that a client may declare, by their dotted names. */
  readonly clientCapabilities: string;
  readonly false: string;
  readonly function: string;
  /** Milliseconds, bytes or a count: 0 or more. */
  readonly number: string;
  readonly object: string;
  /** The path of a URL. */
  readonly path: string;
  /** The value of `pinTools()`. */
  readonly pins: string;
  /** A number greater than 0. */
  readonly positive: string;
  /** Capabilities that a server may declare, by their dotted names. */
  readonly serverCapabilities: string;
  readonly signal: string;
  readonly string: string;
  readonly strings: string;
  /** An http or https URL. */
  readonly url: string;
}

type OptionType = keyof OptionTypes;

/**
 * The values that an option may have: a type, one of two types, one of several words, or an object with options of its own.
 * The entry `""` of such an object is what may stand in its place.
 */
export type OptionKind =
  | OptionType
  | `${OptionType}|${OptionType}`
  | readonly string[]
  | { readonly [name: string]: OptionKind };

/** The kind of each option. The compiler refuses a list that lacks an option. */
export type OptionKinds<Options> = { readonly [Name in keyof Options]-?: OptionKind };

/** The capabilities of the specification, without those inside them. */
const capabilityNames = {
  clientCapabilities: ["elicitation", "sampling", "roots", "tasks", "extensions", "experimental"],
  serverCapabilities: [
    "tools",
    "resources",
    "prompts",
    "completions",
    "logging",
    "tasks",
    "extensions",
    "experimental",
  ],
} as const;

const inWords: OptionTypes = {
  any: "a value",
  array: "an array",
  auth: "oauth(), staticToken(token) or the like",
  boolean: "true or false",
  clientCapabilities: `an array of ${capabilityNames.clientCapabilities.join(", ")}, or of parts such as "sampling.tools"`,
  false: "false",
  function: "a function",
  number: "a number of 0 or more",
  object: "an object",
  pins: "pinTools()",
  path: 'a path that begins with "/"',
  positive: "a number greater than 0",
  serverCapabilities: `an array of ${capabilityNames.serverCapabilities.join(", ")}, or of parts such as "resources.subscribe"`,
  signal: "an AbortSignal",
  string: "a string",
  strings: "an array of strings",
  url: "a URL that begins with http:// or https://",
};

/**
 * The first problem of options that JavaScript, or a cast, lets through, as a sentence; undefined if there is none.
 *
 * A misspelled option would else have no effect, and a wrong type would fail far from its cause.
 */
export function findOptionProblem(
  what: string,
  options: unknown,
  kinds: { readonly [name: string]: OptionKind },
): string | undefined {
  if (!isObject(options)) {
    const some = Object.keys(kinds).slice(0, 3).join(", ");
    return `${what} takes an object of options, such as { ${some} }, not ${describeValue(options)}.`;
  }
  return findIn(what, options, kinds, "");
}

function findIn(
  what: string,
  options: { readonly [name: string]: unknown },
  kinds: { readonly [name: string]: OptionKind },
  path: string,
): string | undefined {
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value === undefined) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) {
      const names = Object.keys(kinds).filter(Boolean);
      return unknownOption(what, path + name, didYouMean(name, names), names);
    }
    if (isNested(kind) && isObject(value)) {
      const problem = findIn(what, value, kind, `${path}${name}.`);
      if (problem !== undefined) return problem;
    } else if (!fits(value, kind)) {
      const given = describeValue(value);
      return `${what}: the option "${path}${name}" must be ${kindInWords(kind)}, not ${given}.`;
    }
  }
  return undefined;
}

function unknownOption(what: string, name: string, hint: string, names: readonly string[]): string {
  return `${what} has no option "${name}"${hint || `; there are ${names.join(", ")}.`}`;
}

function isNested(kind: OptionKind): kind is { readonly [name: string]: OptionKind } {
  return isObject(kind);
}

function kindInWords(kind: OptionKind): string {
  if (isNested(kind)) return kind[""] ? `${inWords.object} or ${kindInWords(kind[""])}` : inWords.object;
  if (typeof kind !== "string") return kind.map((word) => `"${word}"`).join(" or ");
  return typesOf(kind)
    .map((type) => inWords[type])
    .join(" or ");
}

/** The types of each kind that was seen; options are checked with every call. */
const knownTypes = new Map<string, readonly OptionType[]>();

function typesOf(kind: string): readonly OptionType[] {
  const types = knownTypes.get(kind) ?? (kind.split("|") as OptionType[]);
  knownTypes.set(kind, types);
  return types;
}

/** True if the value is of the kind; the members of a nested object are not looked at. */
function fits(value: unknown, kind: OptionKind): boolean {
  if (isNested(kind)) return kind[""] !== undefined && fits(value, kind[""]);
  if (typeof kind !== "string") return kind.includes(value as string);
  return typesOf(kind).some((type) => isOfType(value, type));
}

function isOfType(value: unknown, type: OptionType): boolean {
  switch (type) {
    case "any":
      return true;
    case "array":
      return Array.isArray(value);
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "clientCapabilities":
    case "serverCapabilities":
      return Array.isArray(value) && value.every((name) => isCapability(name, capabilityNames[type]));
    case "false":
      return value === false;
    case "number":
      return typeof value === "number" && value >= 0;
    case "positive":
      return typeof value === "number" && value > 0;
    case "object":
      return isObject(value);
    case "auth":
      return isObject(value) && typeof value.authorize === "function";
    case "pins":
      return isObject(value) && typeof value.guard === "function";
    case "path":
      return typeof value === "string" && value.startsWith("/");
    case "url":
      return URL.canParse(String(value)) && /^https?:$/.test(new URL(String(value)).protocol);
    case "signal":
      return isObject(value) && typeof value.aborted === "boolean" && "addEventListener" in value;
    default:
      return typeof value === type;
  }
}

function isCapability(name: unknown, known: readonly string[]): boolean {
  return typeof name === "string" && known.includes(name.split(".", 1)[0] ?? "");
}
