import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseJsonc } from "../../host/config/jsonc.ts";
import { hasErrorCode } from "../../lib/errno.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { escapeLine, toShownJson } from "../show/escape.ts";
import { Prompts } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface HostFileEdit {
  readonly path: string;
  /** The member that holds the servers. */
  readonly key: string;
  readonly name: string;
  /** The new entry; undefined removes it. */
  readonly entry: object | undefined;
}

/** Shows what would change in a host's file, asks, keeps a copy, and writes. "same" if nothing is to be done. */
export async function editHostFile(
  edit: HostFileEdit,
  terminal: Terminal,
  agrees: boolean,
): Promise<"same" | "replaced" | "written"> {
  const text = await readText(edit.path);
  const root = parse(text, edit);
  const servers = serversIn(root, edit);
  const before = Object.hasOwn(servers, edit.name) ? servers[edit.name] : undefined;
  if (JSON.stringify(before) === JSON.stringify(edit.entry)) return "same";
  showDifference(edit, before, terminal);
  if (!agrees && !(terminal.canAsk && (await new Prompts(terminal).confirm("Write it?")))) {
    throw new CommandError("Nothing was written.", ExitCode.declined, {
      hint: "--yes writes without asking.",
    });
  }
  const { [edit.name]: _, ...others } = servers;
  const changed = edit.entry === undefined ? others : { ...servers, [edit.name]: edit.entry };
  await write(
    edit.path,
    text,
    `${JSON.stringify({ ...root, [edit.key]: changed }, undefined, 2)}\n`,
    terminal,
  );
  return before === undefined || edit.entry === undefined ? "written" : "replaced";
}

/** The names of the servers in a host's file, as one line each may show them. */
export async function serverNames(edit: HostFileEdit): Promise<string[]> {
  return Object.keys(serversIn(parse(await readText(edit.path), edit), edit)).map(escapeLine);
}

function serversIn(root: JsonObject, { path, key }: HostFileEdit): JsonObject {
  const servers = Object.hasOwn(root, key) ? root[key] : {};
  if (isObject(servers)) return servers;
  throw new CommandError(
    `${path} has ${describe(servers)} as ${key}, which is an object with a member for each server.`,
    ExitCode.usage,
    { hint: `Write ${key} as {"name": {…}, …}, or take it away.` },
  );
}

function describe(value: unknown): string {
  return Array.isArray(value) ? "a list" : "a single value";
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** A file with comments is left to its owner: to write it anew would lose them. */
function parse(text: string | undefined, { path, key, name, entry }: HostFileEdit): JsonObject {
  if (text === undefined || text.trim() === "") return {};
  const value = parseJsonc(text, path);
  if (!isObject(value))
    throw new CommandError(
      `${path} holds ${describe(value)}, and a host's file is an object.`,
      ExitCode.usage,
      { hint: `Write an object with ${key} into it, or take the file away.` },
    );
  if (isPlainJson(text)) return value;
  const what = entry === undefined ? `Remove ${JSON.stringify(name)} from` : `Add this to`;
  throw new CommandError(
    `${path} has comments, trailing commas or a byte order mark, which would be lost.`,
    ExitCode.declined,
    {
      hint: `${what} ${key} yourself:\n${toShownJson({ [name]: entry })}`,
    },
  );
}

function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The file has what only JSON with comments has.
    return false;
  }
}

function showDifference({ path, key, name, entry }: HostFileEdit, before: unknown, terminal: Terminal): void {
  const paint = terminal.notePaint;
  terminal.note(paint.bold(`${path}, ${key}`));
  const lines = (mark: string, value: unknown) =>
    `${JSON.stringify(name)}: ${toShownJson(value)}`.split("\n").map((line) => `${mark} ${line}`);
  if (before !== undefined) for (const line of lines("-", before)) terminal.note(paint.red(line));
  if (entry !== undefined) for (const line of lines("+", entry)) terminal.note(paint.green(line));
}

async function write(
  path: string,
  before: string | undefined,
  after: string,
  terminal: Terminal,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (before !== undefined) {
    const backup = `${path}.${new Date().toISOString().replaceAll(":", "-")}.backup`;
    await copyFile(path, backup);
    terminal.note(terminal.notePaint.dim(`The file as it was: ${backup}`));
  }
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, after, { mode: 0o600, flag: "wx" });
  await rename(draft, path);
}
