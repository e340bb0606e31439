import { hasSecret } from "../state/without-secrets.ts";
import {
  branchesOf,
  choicesOf,
  isRecord,
  isSecret,
  kindOf,
  limits,
  propertiesOf,
  requiredOf,
  resolve,
  type Schema,
} from "./schema.ts";

interface Budget {
  left: number;
}

/** The value that a form begins with: defaults, and the empty value of what is required. Nobody has decided a boolean. */
export function startValue(schema: unknown, root: Schema): unknown {
  return start(resolve(schema, root), root, 0, { left: limits.startValues });
}

function start(schema: Schema, root: Schema, depth: number, budget: Budget): unknown {
  budget.left -= 1;
  if ("default" in schema) return schema.default;
  if (depth > limits.depth || budget.left <= 0) return undefined;
  switch (kindOf(schema)) {
    case "constant":
      return schema.const;
    case "choice":
      return choicesOf(schema)?.length === 1 ? choicesOf(schema)?.[0]?.value : undefined;
    case "object":
      return startObject(schema, root, depth, budget);
    case "array":
      return [];
    case "null":
      return null;
    case "union": {
      const [first] = branchesOf(schema, root);
      return first && start(first, root, depth + 1, budget);
    }
    default:
      return undefined;
  }
}

function startObject(schema: Schema, root: Schema, depth: number, budget: Budget): unknown {
  const required = requiredOf(schema);
  const members: [string, unknown][] = [];
  for (const [name, property] of propertiesOf(schema)) {
    if (budget.left <= 0) break;
    const resolved = resolve(property, root);
    if (!required.has(name) && !("default" in resolved)) continue;
    const value = start(resolved, root, depth + 1, budget);
    if (value !== undefined) members.push([name, value]);
  }
  return Object.fromEntries(members);
}

/** The value without its secrets, for the page to remember. */
export function withoutSecrets(value: unknown, schema: unknown, root: Schema): unknown {
  return strip(value, resolve(schema, root), root, 0);
}

function strip(value: unknown, schema: Schema, root: Schema, depth: number): unknown {
  if (depth > limits.depth) return undefined;
  if (Array.isArray(value)) {
    const items = resolve(schema.items, root);
    return value.slice(0, limits.items).map((item) => strip(item, items, root, depth + 1) ?? null);
  }
  if (typeof value === "string" && hasSecret(value)) return undefined;
  if (!isRecord(value)) return value;
  const properties = new Map(propertiesOf(schema));
  const kept = Object.entries(value).flatMap(([name, member]) => {
    const property = resolve(properties.get(name), root);
    if (isSecret(name, property)) return [];
    const safe = strip(member, property, root, depth + 1);
    return safe === undefined ? [] : [[name, safe] as const];
  });
  return Object.fromEntries(kept);
}
