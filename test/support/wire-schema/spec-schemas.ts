import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import type { RevisionName } from "allspeak";
import { tasksExtension } from "./tasks-extension.ts";

export type Definition = { readonly [keyword: string]: unknown };

/** The JSON Schema that the specification publishes for one revision. */
export interface SpecSchema {
  readonly $schema: string;
  readonly definitions?: { readonly [name: string]: Definition };
  readonly $defs?: { readonly [name: string]: Definition };
  /** The definitions of extensions of the protocol. */
  readonly extensions?: { readonly [name: string]: Definition } | undefined;
}

export type SpecSchemas = ReadonlyMap<RevisionName, SpecSchema>;

const suite = fileURLToPath(
  new URL(
    "../../conformance/suite/node_modules/@modelcontextprotocol/conformance/dist/index.js",
    import.meta.url,
  ),
);

/**
 * The schemas of all revisions; none where they are not at hand, except in CI, where they must be.
 *
 * They are not part of this repository. ALLSPEAK_SCHEMAS names a folder with a `schema.json` in a folder for each
 * revision, as the specification has them, and in `tasks` that of the tasks extension. Otherwise they come from the
 * official conformance suite, which `npm run conformance` installs.
 */
export function loadSpecSchemas(): SpecSchemas {
  const { ALLSPEAK_SCHEMAS: folder, CI } = process.env;
  if (folder !== undefined) return readFolder(folder);
  if (existsSync(suite)) return readSuite(readFileSync(suite, "utf8"));
  if (CI !== undefined) throw new Error(`There are no schemas: ${suite} is not installed.`);
  return new Map();
}

/**
 * The schema with fractions in forms and their answers.
 *
 * `schema.ts`, of which the published schemas are made, says `number` there; the generator wrote `integer`.
 */
function withFractions(schema: SpecSchema): SpecSchema {
  return JSON.parse(JSON.stringify(schema), (name, value) => {
    if (name === "NumberSchema") return withNumbers(value, ["default", "minimum", "maximum"]);
    const isUnion = name === "type" && Array.isArray(value) && value.includes("boolean");
    return isUnion ? value.map((type) => (type === "integer" ? "number" : type)) : value;
  }) as SpecSchema;
}

function withNumbers(definition: Definition, names: readonly string[]): Definition {
  const numbers = Object.fromEntries(names.map((name) => [name, { type: "number" }]));
  return { ...definition, properties: { ...(definition.properties as Definition), ...numbers } };
}

const published = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
const revisionNames = ["2024-11-05", ...published] as const;

function readFolder(folder: string): SpecSchemas {
  const schemas = new Map<RevisionName, SpecSchema>(
    revisionNames.map((name) => [name, readSchema(folder, name)]),
  );
  const newest = schemas.get("2026-07-28") as SpecSchema;
  const tasks = existsSync(join(folder, "tasks")) ? readSchema(folder, "tasks").$defs : tasksExtension;
  return schemas.set("2026-07-28", { ...newest, extensions: tasks });
}

function readSchema(folder: string, name: string): SpecSchema {
  return withFractions(JSON.parse(readFileSync(join(folder, name, "schema.json"), "utf8")) as SpecSchema);
}

/** The schemas that are literals in the program of the suite, oldest first. It has none of 2024-11-05. */
function readSuite(program: string): SpecSchemas {
  const literals = [...program.matchAll(/\{\$schema:`http[^`]*`,(?:definitions|\$defs):\{Annotations:/g)];
  if (literals.length !== published.length)
    throw new Error(`The conformance suite has ${literals.length} schemas, not ${published.length}.`);
  const [oldest, ...others] = literals.map(({ index }) => withFractions(readLiteral(program, index)));
  const newest = { ...(others.pop() as SpecSchema), extensions: tasksExtension };
  const schemas = [toFirstRevision(oldest as SpecSchema), oldest, ...others, newest] as SpecSchema[];
  return new Map(revisionNames.map((name, at) => [name, schemas[at] as SpecSchema]));
}

/** Evaluates the object literal that begins at `start`. */
function readLiteral(program: string, start: number): SpecSchema {
  let depth = 0;
  let quote: string | undefined;
  for (let at = start; at < program.length; at++) {
    const character = program[at] as string;
    if (character === "\\") at++;
    else if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if ("`'\"".includes(character)) quote = character;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) {
      const value: unknown = runInNewContext(`(${program.slice(start, at + 1)})`);
      return JSON.parse(JSON.stringify(value)) as SpecSchema;
    }
  }
  throw new Error("A schema of the conformance suite has no end.");
}

/** 2024-11-05 is 2025-03-26 without audio, annotations of tools, messages of progress, and one capability. */
function toFirstRevision(successor: SpecSchema): SpecSchema {
  const { definitions } = JSON.parse(
    JSON.stringify(successor, (_, value: unknown) =>
      Array.isArray(value) ? value.filter((each) => each?.$ref !== "#/definitions/AudioContent") : value,
    ),
  );
  delete definitions.Tool.properties.annotations;
  delete definitions.ProgressNotification.properties.params.properties.message;
  delete definitions.ServerCapabilities.properties.completions;
  return { $schema: successor.$schema, definitions };
}
