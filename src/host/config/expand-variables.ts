import { UsageError } from "../../errors.ts";

/** The values of variables; each may be asked for, read or missing. */
export interface VariableSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names without a prefix that are not variables of the environment: `workspaceFolder`, `userHome` and the like. */
  readonly predefined: ReadonlyMap<string, string>;
  input(id: string): Promise<string | undefined>;
  file(path: string): Promise<string>;
}

const reference = /\$\{([^{}]+)\}/g;

/**
 * Fills in variables: `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${input:id}`, `${file:/path}`,
 * `${workspaceFolder}`. Values are not looked at again, so that a value can't name another variable.
 *
 * Throws UsageError for a variable without a value: a server that gets `${TOKEN}` for a token fails far from the cause.
 */
export async function expandVariables(text: string, source: VariableSource): Promise<string> {
  const names = [...text.matchAll(reference)].map(([, name = ""]) => name);
  const values = new Map<string, string>();
  for (const name of names) if (!values.has(name)) values.set(name, await findValue(name, source));
  return text.replace(reference, (whole, name: string) => values.get(name) ?? whole);
}

/** The ids of the inputs that a text names. */
export function namedInputs(text: string): readonly string[] {
  return namesWith(text, "input:");
}

/** The paths of the files that a text names. */
export function namedFiles(text: string): readonly string[] {
  return namesWith(text, "file:");
}

function namesWith(text: string, prefix: string): readonly string[] {
  const names = [...text.matchAll(reference)].map(([, expression = ""]) => nameIn(expression));
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** The name in an expression that may have a default. */
function nameIn(expression: string): string {
  const split = expression.indexOf(":-");
  return split < 0 ? expression : expression.slice(0, split);
}

async function findValue(expression: string, source: VariableSource): Promise<string> {
  const split = expression.indexOf(":-");
  const name = nameIn(expression);
  const value = await lookUp(name, source);
  const fallback = split < 0 ? undefined : expression.slice(split + 2);
  // As in a shell, a variable that is empty has no value where there is a default.
  const chosen = fallback !== undefined && (value === undefined || value === "") ? fallback : value;
  if (chosen !== undefined) return chosen;
  throw new UsageError(`The variable \${${expression}} has no value; ${adviceFor(name)}.`);
}

async function lookUp(name: string, source: VariableSource): Promise<string | undefined> {
  if (name.startsWith("input:")) return source.input(name.slice("input:".length));
  if (name.startsWith("file:")) return (await source.file(name.slice("file:".length))).trim();
  if (name.startsWith("env:")) return variableOf(source, name.slice("env:".length));
  return source.predefined.get(name) ?? variableOf(source, name);
}

/** A variable of the environment; what every object has, such as `constructor`, is none. */
function variableOf({ env }: VariableSource, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

function adviceFor(name: string): string {
  if (name.startsWith("input:")) return "answer it in the input option";
  if (name.startsWith("workspaceFolder")) return "set the option workspaceFolder";
  return `set it in the environment, or write \${${name}:-default}`;
}
