import { isObject, type JsonObject } from "../../lib/json.ts";

/** The names of arguments that all providers take. */
const accepted = /^[a-zA-Z0-9_.-]{1,64}$/;

interface FittedNames {
  readonly properties: JsonObject;
  readonly required: string[];
  readonly isRenamed: boolean;
}

/** Gives arguments names that providers take, and adds their real names to their descriptions. */
export function fitPropertyNames(properties: unknown, required: unknown): FittedNames {
  const listed = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const needed = [...new Set(listed)];
  // A provider refuses a name among the required ones that it does not know.
  const given = isObject(properties) ? properties : {};
  const missing = needed.filter((name) => !Object.hasOwn(given, name));
  const members =
    missing.length === 0 ? given : { ...given, ...Object.fromEntries(missing.map((name) => [name, {}])) };
  const names = toFittedNames(Object.keys(members));
  if (names.size === 0) return { properties: members, required: needed, isRenamed: false };
  const fitted = Object.entries(members).map(([name, part]) => {
    const other = names.get(name);
    return other === undefined ? [name, part] : [other, describeName(part, name)];
  });
  return {
    properties: Object.fromEntries(fitted),
    required: needed.map((name) => names.get(name) ?? name),
    isRenamed: true,
  };
}

/** Gives the arguments of a call their own names back. */
export function restoreArguments({ properties }: JsonObject, args: JsonObject): JsonObject {
  const names = toFittedNames(Object.keys(isObject(properties) ? properties : {}));
  if (names.size === 0) return args;
  const originals = new Map([...names].map(([name, fitted]) => [fitted, name]));
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [originals.get(name) ?? name, value]),
  );
}

/** The other name of each argument that needs one: with a number, since it must differ from all others. */
function toFittedNames(names: readonly string[]): ReadonlyMap<string, string> {
  const fitted = new Map<string, string>();
  const odd = names.filter((name) => !accepted.test(name));
  if (odd.length === 0) return fitted;
  const taken = new Set(names);
  const numbers = new Map<string, number>();
  for (const name of odd) {
    const plain = name.replace(/[^a-zA-Z0-9_.-]+/g, "_").slice(0, 56) || "argument";
    let number = (numbers.get(plain) ?? 0) + 1;
    while (taken.has(`${plain}_${number}`)) number++;
    numbers.set(plain, number);
    taken.add(`${plain}_${number}`);
    fitted.set(name, `${plain}_${number}`);
  }
  return fitted;
}

function describeName(part: unknown, name: string): unknown {
  if (!isObject(part)) return part;
  const description = typeof part.description === "string" ? `${part.description} ` : "";
  return { ...part, description: `${description}(called ${JSON.stringify(name)})` };
}
