import type { Paint } from "./terminal/paint.ts";
import type { Argument, Option, OptionTable, Verb, VerbRow } from "./verb.ts";

/** The help of the whole command. */
export function showCommandHelp(verbs: readonly VerbRow[], paint: Paint): string {
  const rows = verbs.map(({ name, summary }) => [name, summary] as const);
  return [
    "Serves, calls and inspects servers of the Model Context Protocol.",
    "",
    `${paint.bold("Usage:")} allspeak <verb> [arguments] [options]`,
    "",
    paint.bold("Verbs:"),
    ...toColumns(rows),
    "",
    paint.bold("A target is"),
    ...toColumns([
      ["https://example.com/mcp", "a URL"],
      ['"npx -y some-server"', "a command, as one quoted string"],
      ["./server.ts", "a module that exports a server value"],
      ["name", "a server of a host's file: --config FILE, or .mcp.json in this folder"],
      ["everything", "the demo server of this package"],
    ]),
    "",
    paint.bold("Examples:"),
    ...toColumns([
      ["allspeak list everything", "what the demo offers"],
      ["allspeak call everything greet name=Ada", "calls one of its tools"],
    ]),
    "",
    "allspeak <verb> --help shows the options and examples of a verb.",
    "",
  ].join("\n");
}

/** The help of one verb. */
export function showVerbHelp(
  row: VerbRow,
  verb: Verb<OptionTable>,
  shared: OptionTable,
  paint: Paint,
): string {
  const usage = ["allspeak", row.name, ...verb.arguments.map(showArgument), "[options]"].join(" ");
  const described = verb.arguments.map((argument) => [showArgument(argument), argument.description] as const);
  return [
    `${row.summary}.`,
    "",
    `${paint.bold("Usage:")} ${usage}`,
    ...section(paint.bold("Arguments:"), toColumns(described)),
    ...section(
      paint.bold("Options:"),
      toColumns(Object.entries({ ...verb.options, ...shared }).map(showOption)),
    ),
    ...section(paint.bold("Examples:"), toColumns(verb.examples)),
    ...(verb.notes === undefined ? [] : ["", verb.notes]),
    "",
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

function showArgument({ name, isOptional, isRest }: Argument): string {
  if (isRest) return `[${name} …]`;
  return isOptional ? `[${name}]` : `<${name}>`;
}

function showOption([name, option]: readonly [string, Option]): readonly [string, string] {
  const { short, type, value, choices, multiple } = option;
  const word = type === "boolean" ? "" : ` ${value ?? choices?.join("|") ?? "VALUE"}`;
  const repeated = multiple ? " (may be repeated)" : "";
  return [`${short ? `-${short}, ` : ""}--${name}${word}`, `${option.description}${repeated}`];
}

/** Two columns; a left side that is too long has a line of its own. */
function toColumns(rows: readonly (readonly [left: string, right: string])[], most = 42): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length).filter((length) => length <= most));
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, `  ${" ".repeat(width)}  ${right}`]
      : [`  ${left.padEnd(width)}  ${right}`],
  );
}
