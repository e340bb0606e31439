import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { node22 } from "../support/node22.ts";

const root = new URL("../../", import.meta.url);
// Inside the repository, so that `allspeak` and `zod` resolve as they do for a user.
const folder = new URL("build/snippets/", root);

const names = (await readdir(new URL("docs/", root))).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...names.map((name) => `docs/${name}`)];
const snippets = (await Promise.all(pages.map(readSnippets))).flat();

async function readSnippets(page: string) {
  const text = await readFile(new URL(page, root), "utf8");
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""], index) => ({ page, index, code }));
}

/** Runs a program with its input closed, as a host would that has nothing to say. */
async function run(
  path: string,
  node: string = process.execPath,
  runner: readonly string[] = [],
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(node, [...runner, path], {
    stdio: ["ignore", "ignore", "pipe"],
    // Snippets of another Node are about files, which are gone with the folder.
    cwd: fileURLToPath(node === process.execPath ? root : folder),
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stderr };
}

/** The arguments of Node that run the tests of a file with vitest, as a user does. */
const vitest = [
  fileURLToPath(new URL("node_modules/vitest/vitest.mjs", root)),
  ...["run", "--root", fileURLToPath(folder)],
];

/** The path of a snippet as a file, without an extension. */
const toPath = (page: string, index: number): string =>
  fileURLToPath(new URL(`${page.replace(/\W/g, "-")}-${index}`, folder));

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  // Else vitest would find ours.
  await writeFile(new URL("vitest.config.mjs", folder), "export default {};");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("every snippet of the documentation compiles in strict mode", { timeout: 120_000 }, async () => {
  const files = snippets.map(({ page, index, code }) => ({ path: `${toPath(page, index)}.mts`, code }));
  await Promise.all(files.map(({ path, code }) => writeFile(path, code)));
  const program = ts.createProgram({
    rootNames: files.map(({ path }) => path),
    options: {
      strict: true,
      skipLibCheck: true,
      module: ts.ModuleKind.NodeNext,
      types: ["node"],
      typeRoots: [fileURLToPath(new URL("node_modules/@types", root))],
      noEmit: true,
    },
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  expect(problems).toEqual([]);
});

describe("every snippet of the documentation runs", () => {
  it.each(snippets)("$page, number $index", async ({ page, index, code }) => {
    const node = code.includes("allspeak/state/sqlite") ? node22 : process.execPath;
    if (node === undefined) return console.log(`${page} was not run: it needs Node 22.`);
    const isTest = code.includes('from "vitest"');
    const path = `${toPath(page, index)}${isTest ? ".test" : ""}.mjs`;
    const { code: js } = await transform(code, { loader: "ts", format: "esm", target: "node20" });
    await writeFile(path, js);
    const { code: status, stderr } = await run(path, node, isTest ? vitest : []);
    expect(status, stderr).toBe(0);
  });

  it("there are snippets to run", () => {
    expect(snippets.length).toBeGreaterThan(5);
  });
});
