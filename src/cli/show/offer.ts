import type { Prompt, Resource, ResourceTemplate, Tool } from "allspeak";
import { isObject } from "../../lib/json.ts";
import { describeType, propertiesOf, requiredOf, resolveReference } from "../arguments/schema-view.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { escapeLine, escapeText, shorten } from "./escape.ts";

/** One item of a list, for people. */
interface Row {
  readonly name: string;
  /** Follows the name: the arguments of a tool, the type of a resource. */
  readonly signature: string;
  readonly description: string;
  /** Shown only at length. */
  readonly details: readonly string[];
}

export function showRows(title: string, rows: readonly Row[], terminal: Terminal, isLong: boolean): string[] {
  if (rows.length === 0) return [];
  const { paint } = terminal;
  const heading = ["", `${paint.bold(title)} ${paint.dim(`(${rows.length})`)}`];
  return [
    ...heading,
    ...rows.flatMap((row) => (isLong ? showLong(row, paint) : showShort(row, rows, terminal))),
  ];
}

function showShort(row: Row, rows: readonly Row[], { paint, width }: Terminal): string[] {
  const column = Math.min(44, Math.max(...rows.map(({ name, signature }) => name.length + signature.length)));
  const used = row.name.length + row.signature.length;
  const left = `  ${paint.cyan(row.name)}${paint.dim(row.signature)}${" ".repeat(Math.max(0, column - used))}`;
  const description = shorten(row.description, Math.max(20, width - Math.max(column, used) - 6));
  return [`${left}  ${description}`.trimEnd()];
}

function showLong(row: Row, paint: Paint): string[] {
  const text = escapeText(row.description).trim();
  return [
    `  ${paint.cyan(row.name)}${paint.dim(row.signature)}`,
    ...(text === "" ? [] : text.split("\n").map((line) => `      ${line}`)),
    ...row.details.map((line) => `      ${line}`),
    "",
  ];
}

export function toToolRow(tool: Tool): Row {
  const required = requiredOf(tool.inputSchema);
  const names = Object.keys(propertiesOf(tool.inputSchema));
  names.sort((a, b) => Number(required.has(b)) - Number(required.has(a)));
  const shown = names.map((name) => escapeLine(required.has(name) ? name : `[${name}]`));
  return {
    name: escapeLine(tool.name),
    signature: `(${shown.join(" ")})`,
    description: tool.description ?? tool.title ?? "",
    details: [...names.map((name) => describeArgument(tool, name)), ...describeHints(tool)],
  };
}

function describeArgument({ inputSchema }: Tool, name: string): string {
  const schema = resolveReference(propertiesOf(inputSchema)[name], inputSchema);
  const mark = requiredOf(inputSchema).has(name) ? "required" : "optional";
  const about = typeof schema.description === "string" ? `  ${schema.description}` : "";
  const fallback = schema.default === undefined ? "" : `, default ${JSON.stringify(schema.default)}`;
  return escapeLine(`${name}: ${describeType(schema, inputSchema)} (${mark}${fallback})${about}`);
}

function describeHints({ annotations, execution }: Tool): string[] {
  const hints = [
    annotations?.readOnlyHint === true && "says that it changes nothing",
    annotations?.destructiveHint === true && "says that it is destructive",
    execution?.taskSupport === "required" && "runs only as a task",
    execution?.taskSupport === "optional" && "may run as a task",
  ];
  return hints.filter((hint) => hint !== false);
}

export function toResourceRow(resource: Resource | ResourceTemplate): Row {
  const uri = "uri" in resource ? resource.uri : resource.uriTemplate;
  return {
    name: escapeLine(uri),
    signature: resource.mimeType ? ` ${escapeLine(resource.mimeType)}` : "",
    description: resource.description ?? resource.title ?? resource.name,
    details: [],
  };
}

export function toPromptRow(prompt: Prompt): Row {
  const given = (prompt.arguments ?? []).filter(isObject);
  const names = given.map(({ name, required }) => escapeLine(required ? name : `[${name}]`));
  return {
    name: escapeLine(prompt.name),
    signature: `(${names.join(" ")})`,
    description: prompt.description ?? prompt.title ?? "",
    details: given.map(({ name, description }) => escapeLine(description ? `${name}: ${description}` : name)),
  };
}
