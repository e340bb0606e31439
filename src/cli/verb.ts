import type { ExitCode } from "./exit-code.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** An option of the command line, such as `--timeout SECONDS`. */
export interface Option {
  readonly type: "boolean" | "string" | "number";
  readonly description: string;
  /** One letter. */
  readonly short?: string;
  /** May be given several times. */
  readonly multiple?: true;
  /** The word for the value in the help: `FILE`. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** A number is a whole one, from the first of these to the second. */
  readonly range?: readonly [least: number, most: number];
}

export type OptionTable = Readonly<Record<string, Option>>;

type ValueOf<One extends Option> = One["type"] extends "boolean"
  ? boolean
  : One["type"] extends "number"
    ? number
    : string;

/** The options as they were given; the names are those of the table. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends { readonly multiple: true }
    ? readonly ValueOf<Table[Name]>[]
    : ValueOf<Table[Name]>;
};

/** An argument without a name, such as the target. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly isOptional?: boolean;
  /** The option with which it may be left out. */
  readonly isOptionalWith?: string;
  /** Takes all arguments that are left. */
  readonly isRest?: boolean;
}

/** The command line of one run, and the terminal that it talks to. */
export interface CommandContext<Table extends OptionTable = OptionTable> {
  readonly arguments: readonly string[];
  readonly options: OptionValues<Table>;
  readonly terminal: Terminal;
  /** All verbs, for those that show the others. */
  readonly verbs: readonly VerbRow[];
}

/** A verb before it is loaded: the command loads only the one that it runs. */
export interface VerbRow {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Verb<OptionTable>>;
}

/** One verb of the command: what it takes, and what it does. */
export interface Verb<Table extends OptionTable = OptionTable> {
  readonly arguments: readonly Argument[];
  readonly options: Table;
  /** Command lines with what each does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** Text for `--help` that the table of options can't give. */
  readonly notes?: string;
  run(context: CommandContext<Table>): Promise<ExitCode>;
}

/** Defines a verb, so that `run` knows the types of its options. */
export function defineVerb<const Table extends OptionTable>(verb: Verb<Table>): Verb<Table> {
  return verb;
}
