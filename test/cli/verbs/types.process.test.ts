import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "../support/program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

function problemsOf(file: string): string[] {
  const program = ts.createProgram({
    rootNames: [file],
    options: {
      strict: true,
      skipLibCheck: true,
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      noEmit: true,
      types: ["node"],
      allowImportingTsExtensions: true,
    },
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

/** Writes the types of a server into the repository, so that `allspeak` resolves as it does for a user. */
async function writeTypes(name: string): Promise<(lines: string) => string[]> {
  const folder = join(root, "build", `typed-${name}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const types = join(folder, `${name}.mts`);
  const { ended, output } = startProgram(["types", `./${name}.mjs`, "--out", types]);
  expect([await ended, output.stderr]).toEqual([0, `Wrote the types of ${name} to ${types}.\n`]);
  return (lines) => {
    const file = join(folder, "use.mts");
    const opening = `import { connectTyped } from "./${name}.mjs";\nconst client = await connectTyped("x");\n`;
    writeFileSync(file, `${opening}${lines}\n`);
    return problemsOf(file);
  };
}

test("the types of a live server compile, and refuse wrong calls", { timeout: 60_000 }, async () => {
  const use = await writeTypes("shop");
  expect(
    use(
      'const r = await client.tools.call("sum", { a: 1, b: 2 }); const n: number | undefined = r.structuredContent?.sum;',
    ),
  ).toEqual([]);
  expect(use('await client.tools.call("sum", { a: "1", b: 2 });')).toHaveLength(1);
  expect(use('await client.tools.call("summ", { a: 1, b: 2 });')).not.toEqual([]);
});

test("prompts, resources and tools that were added late have types, too", { timeout: 60_000 }, async () => {
  const use = await writeTypes("library");
  const problems = use(`
    const lent = await client.tools.call("lend", { book: "Emma" });
    const days: number | undefined = lent.structuredContent?.days;
    // @ts-expect-error a book has a title
    await client.tools.call("lend", { book: 1 });
    // @ts-expect-error there is no such tool
    await client.tools.call("keep", { book: "Emma" });
    await client.prompts.get("recommend", { topic: "sea" });
    await client.prompts.get("recommend", { topic: "sea", tone: "dry" });
    // @ts-expect-error the topic is required
    await client.prompts.get("recommend", { tone: "dry" });
    // @ts-expect-error there is no such prompt
    await client.prompts.get("discourage", { topic: "sea" });
    await client.resources.read("library://hours");
    await client.resources.read("library://books/7");
    // @ts-expect-error there is no such resource
    await client.resources.read("library://staff");
  `);
  expect(problems).toEqual([]);
});
