import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Servable } from "allspeak/client";
import { isServable } from "../../contract/service.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import { isObject } from "../../lib/json.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { explainExit } from "../explain-exit.ts";

const typescript = /\.[mc]?tsx?$/;

/** True for a path that names a module, as `./server.ts` and `dist/server.js` do. */
export function isModulePath(text: string): boolean {
  return /^\S+\.(?:[mc]?[jt]s|[jt]sx)$/.test(text) && !/^[a-z][a-z\d+.-]*:\/\//i.test(text);
}

export interface LoadOptions {
  readonly cwd: string;
  /** The name of the export. Default: `default`, then `server`, then the only server value there is. */
  readonly exportName?: string | undefined;
  /** Loads the module anew although it was loaded before. */
  readonly version?: number;
}

/** Imports a module and returns the server value that it exports. */
export async function loadServer(path: string, options: LoadOptions): Promise<Servable> {
  const file = resolve(options.cwd, path);
  assertModuleFile(file, path);
  const before = countStdinListeners();
  const exported = await importModule(file, path, options);
  if (countStdinListeners() > before) {
    throw new CommandError(`${path} serves itself as soon as it is loaded.`, ExitCode.usage, {
      hint: `Move the call of serveStdio to a file of its own, or use the command as target: "node ${path}".`,
    });
  }
  return pickServer(exported, path, options.exportName);
}

/** The listeners of standard input. A server on stdio adds some, however it reads. */
function countStdinListeners(): number {
  const counts = ["data", "readable", "end"].map((event) => process.stdin.listenerCount(event));
  return counts.reduce((sum, count) => sum + count);
}

/** Refuses a path that is not that of a TypeScript or JavaScript file. */
export function assertModuleFile(file: string, path: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new CommandError(`There is no file ${path}.`, ExitCode.usage);
  if (found.isFile() && /\.(?:[mc]?[jt]s|[jt]sx)$/.test(file)) return;
  const what = found.isFile() ? "is not a TypeScript or JavaScript file" : "is a folder";
  throw new CommandError(`${path} ${what}.`, ExitCode.usage, {
    hint: "Name the file that exports the server value, such as ./server.ts.",
  });
}

type Exports = Readonly<Record<string, unknown>>;

async function importModule(file: string, path: string, options: LoadOptions): Promise<Exports> {
  const url = pathToFileURL(file);
  if (options.version !== undefined) url.searchParams.set("version", String(options.version));
  if (typescript.test(file) && !stripsTypes()) await registerTsx(file, path);
  const stop = explainExit({
    path,
    during: "while it was loaded",
    advice: "It must only export a server: move process.exit out of it.",
    code: ExitCode.usage,
  });
  try {
    return await importWatched(url);
  } catch (cause) {
    const place =
      cause instanceof SyntaxError
        ? (placeInStack(cause, options.cwd) ?? (await findSyntaxError(file, options.cwd)))
        : undefined;
    throw new CommandError(describeFailure(path, cause, place), ExitCode.usage, {
      cause,
      ...(place === undefined && { hint: "--debug shows where." }),
    });
  } finally {
    stop();
  }
}

function describeFailure(path: string, cause: unknown, place: string | undefined): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `${path} can't be loaded: ${reason}${place === undefined ? "" : ` (${place})`}`;
}

/** The file and the line of an error of syntax in a CommonJS module, with which Node begins its stack. */
function placeInStack({ stack = "" }: SyntaxError, cwd: string): string | undefined {
  const [, file, line] = /^(\/.*|[A-Z]:\\.*):(\d+)\n/i.exec(stack) ?? [];
  return file === undefined ? undefined : `${relative(cwd, file)}:${line}`;
}

/**
 * The file and the line of an error of syntax in a module, or in one that it imports. Node writes them only where the
 * error ends a process. One that is linked and exits before the module has its turn runs nothing of it.
 */
async function findSyntaxError(file: string, cwd: string): Promise<string | undefined> {
  const source = `import "data:text/javascript,process.exit()"; import ${JSON.stringify(pathToFileURL(file).href)};`;
  const written = await new Promise<string>((done) => {
    execFile(process.execPath, ["--input-type=module", "--eval", source], (_error, _stdout, stderr) =>
      done(stderr),
    );
  });
  const [, url, line] = /^(file:\S+):(\d+)$/m.exec(written) ?? [];
  return url === undefined ? undefined : `${relative(cwd, fileURLToPath(url))}:${line}`;
}

/** Loads a module. An error that its code throws where `import` can't see it fails the load, too. */
async function importWatched(url: URL): Promise<Exports> {
  let onUncaught = (_error: unknown): void => {};
  const failed = new Promise<never>((_, reject) => {
    onUncaught = reject;
  });
  process.on("uncaughtException", onUncaught);
  try {
    return await Promise.race([import(url.href), failed]);
  } catch (error) {
    // Node 20 reports a module of CommonJS that can't be parsed twice, if another module imports it.
    await nextTurn();
    throw error;
  } finally {
    process.off("uncaughtException", onUncaught);
  }
}

/** True where Node runs TypeScript by itself. */
function stripsTypes(): boolean {
  return "typescript" in process.features && Boolean(process.features.typescript);
}

/** Lets Node run TypeScript with the `tsx` of the project, or that of this package's place. */
async function registerTsx(file: string, path: string): Promise<void> {
  const api = findTsx(file) ?? findTsx(import.meta.filename);
  if (api === undefined) {
    throw new CommandError(
      `Node ${process.version} does not run TypeScript, and tsx is not installed.`,
      ExitCode.usage,
      {
        hint: `Use Node 22.18 or newer, run "npm install --save-dev tsx", or name a JavaScript file instead of ${path}.`,
      },
    );
  }
  assertModuleSyntax(file, path);
  const { register } = await import(pathToFileURL(api).href);
  register();
}

/** tsx turns other TypeScript into CommonJS, and the library with it: a second copy that does not know ours. */
function assertModuleSyntax(file: string, path: string): void {
  if (file.endsWith(".mts") || readPackageType(dirname(file)) === "module") return;
  throw new CommandError(`${path} belongs to a package of CommonJS modules.`, ExitCode.usage, {
    hint: 'Write "type": "module" into package.json, or end the name of the file with .mts.',
  });
}

function readPackageType(folder: string): unknown {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, "utf8")).type;
  const parent = dirname(folder);
  return parent === folder ? undefined : readPackageType(parent);
}

/** The module of tsx that makes Node run TypeScript, in its form for `import`: that for `require` can't do it. */
function findTsx(from: string): string | undefined {
  try {
    const manifest = createRequire(from).resolve("tsx/package.json");
    const { exports } = JSON.parse(readFileSync(manifest, "utf8"));
    return join(dirname(manifest), exports["./esm/api"].import.default);
  } catch {
    // Not installed there, or another tsx than we know.
    return undefined;
  }
}

function pickServer(exported: Exports, path: string, name: string | undefined): Servable {
  // The exports of CommonJS are members of the default export.
  const nested = isObject(exported.default) && !isServable(exported.default) ? exported.default : {};
  const servers = Object.entries({ ...nested, ...exported }).filter((entry): entry is [string, Servable] =>
    isServable(entry[1]),
  );
  const found = name
    ? servers.find(([key]) => key === name)
    : (servers.find(([key]) => key === "default") ?? servers.find(([key]) => key === "server") ?? servers[0]);
  const isClear = new Set(servers.map(([, server]) => server)).size === 1;
  if (found && (name || isClear || found[0] === "default" || found[0] === "server")) return found[1];
  if (found) {
    const names = servers.map(([key]) => key).join(", ");
    throw new CommandError(`${path} exports several servers: ${names}.`, ExitCode.usage, {
      hint: "Choose one with --export NAME.",
    });
  }
  const what = name ? `a server value named ${JSON.stringify(name)}` : "a server value";
  throw new CommandError(`${path} does not export ${what}.`, ExitCode.usage, {
    hint: "Write: export const server = createServer({ … });",
  });
}
