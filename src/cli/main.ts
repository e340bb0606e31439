import { createRequire } from "node:module";
import { didYouMean } from "../lib/text/did-you-mean.ts";
import { CommandError } from "./command-error.ts";
import { ExitCode } from "./exit-code.ts";
import { showCommandHelp, showVerbHelp } from "./help.ts";
import { assertArgumentCount, parseArguments } from "./parse-arguments.ts";
import { reportError } from "./report-error.ts";
import { sharedOptions } from "./shared-options.ts";
import { type Streams, Terminal } from "./terminal/terminal.ts";
import type { VerbRow } from "./verb.ts";
import { verbTable } from "./verb-table.ts";

/** Runs one command line and returns its exit code. Never throws, and never ends the process. */
export async function runCommand(line: readonly string[], streams: Streams): Promise<ExitCode> {
  const flags = { debug: line.includes("--debug"), json: line.includes("--json") };
  const terminal = new Terminal(streams, {
    noColor: line.includes("--no-color"),
    noInput: line.includes("--no-input"),
  });
  try {
    return await runVerb(line, terminal);
  } catch (error) {
    return reportError(error, terminal, flags);
  } finally {
    terminal.close();
  }
}

async function runVerb(line: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name, ...rest] = line;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    if (name === "help" && rest[0] !== undefined) return runVerb([rest[0], "--help"], terminal);
    terminal.print(showCommandHelp(verbTable, terminal.paint));
    return name === undefined ? ExitCode.usage : ExitCode.ok;
  }
  if (name === "--version" || name === "-V" || name === "version") {
    terminal.print(readVersion());
    return ExitCode.ok;
  }
  const row = findVerb(name);
  const verb = await row.load();
  if (rest.includes("--help") || rest.includes("-h")) {
    terminal.print(showVerbHelp(row, verb, sharedOptions, terminal.paint));
    return ExitCode.ok;
  }
  const parsed = parseArguments(name, rest, { ...verb.options, ...sharedOptions });
  assertArgumentCount(name, verb, parsed);
  return verb.run({ ...parsed, terminal, verbs: verbTable });
}

function findVerb(name: string): VerbRow {
  const row = verbTable.find((candidate) => candidate.name === name);
  if (row) return row;
  const hint = didYouMean(
    name,
    verbTable.map((candidate) => candidate.name),
  );
  throw new CommandError(`There is no verb ${JSON.stringify(name)}${hint || "."}`, ExitCode.usage, {
    hint: "allspeak --help lists the verbs.",
  });
}

function readVersion(): string {
  const { version }: { version: string } = createRequire(import.meta.url)("allspeak/package.json");
  return version;
}
