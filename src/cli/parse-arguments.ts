import { parseArgs } from "node:util";
import { didYouMean } from "../lib/text/did-you-mean.ts";
import { CommandError } from "./command-error.ts";
import { ExitCode } from "./exit-code.ts";
import type { Option, OptionTable, OptionValues, Verb } from "./verb.ts";

export interface ParsedArguments<Table extends OptionTable> {
  readonly arguments: readonly string[];
  readonly options: OptionValues<Table>;
}

type OptionValue = string | number | boolean;

/** Reads the command line of a verb by the table of its options; `--` ends them. */
export function parseArguments<Table extends OptionTable>(
  verb: string,
  line: readonly string[],
  table: Table,
): ParsedArguments<Table> {
  const settings = Object.entries(table).map(([name, { type, short }]) => [
    name,
    { type: type === "boolean" ? "boolean" : "string", ...(short && { short }) } as const,
  ]);
  const { tokens } = parseArgs({
    args: [...line],
    options: Object.fromEntries(settings),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: string[] = [];
  const options: Record<string, OptionValue | OptionValue[]> = {};
  for (const token of tokens) {
    if (token.kind === "positional") given.push(token.value);
    if (token.kind !== "option") continue;
    const value = readOption(token, table, verb);
    if (table[token.name]?.multiple) options[token.name] = [...toList(options[token.name]), value];
    else options[token.name] = value;
  }
  return { arguments: given, options: options as OptionValues<Table> };
}

function toList(value: OptionValue | OptionValue[] | undefined): OptionValue[] {
  return Array.isArray(value) ? value : [];
}

function readOption(
  { name, rawName, value }: { name: string; rawName: string; value?: string | undefined },
  table: OptionTable,
  verb: string,
): OptionValue {
  const option = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!option) {
    const names = Object.keys(table).map((known) => `--${known}`);
    const hint = didYouMean(rawName, names) || `; there are ${names.join(", ")}.`;
    throw usage(`There is no option ${rawName}${hint}`, verb);
  }
  if (option.type === "boolean") {
    if (value !== undefined) throw usage(`${rawName} takes no value.`, verb);
    return true;
  }
  if (value === undefined)
    throw usage(`${rawName} needs a value: ${rawName} ${option.value ?? "VALUE"}`, verb);
  if (option.choices && !option.choices.includes(value)) {
    const hint = didYouMean(value, option.choices);
    throw usage(
      `${rawName} is one of ${option.choices.join(", ")}, not ${JSON.stringify(value)}${hint || "."}`,
      verb,
    );
  }
  return option.type === "number" ? toNumber(value, { rawName, verb, range: option.range }) : value;
}

function toNumber(
  value: string,
  { rawName, verb, range }: { rawName: string; verb: string; range: Option["range"] },
): number {
  const number = value.trim() === "" ? Number.NaN : Number(value);
  const [least, most] = range ?? [0, Number.MAX_VALUE];
  if (number >= least && number <= most && (!range || Number.isInteger(number))) return number;
  const wanted = range ? `a whole number from ${grouped(least)} to ${grouped(most)}` : "a number";
  throw usage(`${rawName} takes ${wanted}, not ${JSON.stringify(value)}.`, verb);
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** Throws unless there are as many arguments as the verb takes. */
export function assertArgumentCount(
  name: string,
  verb: Verb,
  { arguments: given, options }: ParsedArguments<OptionTable>,
): void {
  const missing = verb.arguments
    .slice(given.length)
    .find(
      ({ isOptional, isRest, isOptionalWith }) =>
        !isOptional && !isRest && (isOptionalWith === undefined || options[isOptionalWith] === undefined),
    );
  if (missing) throw usage(`${name} needs <${missing.name}>: ${missing.description}.`, name);
  const takesRest = verb.arguments.some(({ isRest }) => isRest);
  const extra = given[verb.arguments.length];
  if (extra !== undefined && !takesRest)
    throw usage(`${name} takes no further argument, such as ${JSON.stringify(extra)}.`, name);
}

function usage(message: string, verb: string): CommandError {
  return new CommandError(message, ExitCode.usage, { hint: `See allspeak ${verb} --help.` });
}
