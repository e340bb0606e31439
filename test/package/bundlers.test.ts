// The neutral entries under the bundlers that people use: no warning, and no way to a Node built-in.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import commonjs from "@rollup/plugin-commonjs";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { type BuildOptions, build as esbuild, stop } from "esbuild";
import { rollup } from "rollup";
import { build as vite } from "vite";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import webpack, { type Stats } from "webpack";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { root } from "./paths.ts";

const neutral = [
  "allspeak",
  "allspeak/auth",
  "allspeak/client",
  "allspeak/host",
  "allspeak/http",
  "allspeak/tasks",
];
const conditions = ["browser", "worker", "workerd", "deno", "bun"];

interface Bundled {
  readonly warnings: readonly string[];
  readonly code: string;
}

afterAll(() => stop());

describe.each(neutral)("%s", (name) => {
  test.each(conditions)("esbuild bundles it under the condition %s", async (condition) => {
    expectNeutral(await byEsbuild(programOf(name), only(condition)));
  });

  test("esbuild bundles it for the browser", async () => {
    expectNeutral(await byEsbuild(programOf(name)));
  });
});

// They take seconds, and a way to a built-in from one entry is a way from all of them.
describe("all of them in one program", { timeout: 60_000 }, () => {
  test("webpack bundles it for the web", async () => {
    expectNeutral(await byWebpack(programOf(...neutral)));
  });

  test("Vite bundles it", async () => {
    expectNeutral(await byVite(programOf(...neutral)));
  });

  test("rollup bundles it", async () => {
    expectNeutral(await byRollup(programOf(...neutral)));
  });
});

test("a command in a browser is refused with a typed error that names the way out", async () => {
  const { code } = await byEsbuild(programOf("allspeak/client"));
  const file = join(createTemporaryFolder(), "client.mjs");
  writeFileSync(file, code);
  const { entry0 } = (await import(pathToFileURL(file).href)) as { entry0: typeof import("allspeak/client") };
  await expect(entry0.connect({ command: "my-server" })).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(
      /^"my-server" is a command, and only Node starts commands\. .*connect to a URL/,
    ),
  });
});

test("the check finds a Node built-in that is reachable", async () => {
  const { warnings, code } = await byEsbuild(programOf("allspeak/node"), { external: ["node:*", "ws"] });
  expect(builtInsIn(code)).toContain("node:http");
  expect(warnings).toEqual([]);
});

function expectNeutral({ warnings, code }: Bundled): void {
  expect(warnings).toEqual([]);
  expect(code.length).toBeGreaterThan(1000);
  expect(builtInsIn(code)).toEqual([]);
}

/** The options under which a package is asked for one condition, beside `import` and `default`. */
function only(condition: string): BuildOptions {
  return { platform: "neutral", mainFields: ["module", "main"], conditions: [condition] };
}

function builtInsIn(code: string): string[] {
  const found = code.matchAll(/(?:from|import|require|import\()\s*\(?["'](node:[\w/]+)["']/g);
  return [...new Set([...found].map(([, name]) => name as string))];
}

// Its types speak of a CommonJS module, which it is not when it is imported.
const toEsm = commonjs as unknown as typeof commonjs.default;

/** A program that exports everything that entries do, where `allspeak` is this package; returns its path. */
function programOf(...names: readonly string[]): string {
  const folder = join(root, "build", "programs");
  const file = join(folder, `${names.join("-").replaceAll("/", "-")}-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, names.map((name, at) => `export * as entry${at} from "${name}";\n`).join(""));
  onTestFinished(() => rmSync(file, { force: true }));
  return file;
}

async function byEsbuild(program: string, options: BuildOptions = {}): Promise<Bundled> {
  const { warnings, outputFiles } = await esbuild({
    entryPoints: [program],
    bundle: true,
    platform: "browser",
    format: "esm",
    outdir: "out",
    tsconfigRaw: {},
    logLevel: "silent",
    ...options,
    write: false,
  });
  return { warnings: warnings.map(({ text }) => text), code: outputFiles.map(({ text }) => text).join("\n") };
}

async function byWebpack(program: string): Promise<Bundled> {
  const folder = createTemporaryFolder();
  const compiler = webpack({
    mode: "production",
    target: "web",
    context: root,
    entry: program,
    output: { path: folder, filename: "out.js", library: { type: "module" } },
    experiments: { outputModule: true },
    optimization: { minimize: false },
    performance: false,
  });
  const stats = await new Promise<Stats>((resolve, reject) => {
    compiler?.run((error, result) => (result ? resolve(result) : reject(error)));
  });
  const { errors = [], warnings = [] } = stats.toJson({ all: false, errors: true, warnings: true });
  await new Promise((resolve) => compiler?.close(resolve));
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  return { warnings: [...errors, ...warnings].map(({ message }) => message), code: files.join("\n") };
}

async function byVite(program: string): Promise<Bundled> {
  const warnings: string[] = [];
  const output = await vite({
    root,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: false,
      lib: { entry: program, formats: ["es"] },
      rolldownOptions: { onLog: (_level, { message }) => void warnings.push(message) },
    },
  });
  const outputs = Array.isArray(output) ? output : [output];
  const chunks = outputs.flatMap((one) => ("output" in one ? one.output : []));
  return { warnings, code: chunks.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("\n") };
}

async function byRollup(program: string): Promise<Bundled> {
  const warnings: string[] = [];
  const bundle = await rollup({
    input: program,
    plugins: [nodeResolve({ browser: true }), toEsm()],
    onwarn: ({ message }) => void warnings.push(message),
  });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  return { warnings, code: output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("\n") };
}
