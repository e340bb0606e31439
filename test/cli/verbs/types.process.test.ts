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

test("the types of a live server compile, and refuse wrong calls", { timeout: 60_000 }, async () => {
  // Inside the repository, so that `allspeak` resolves as it does for a user.
  const folder = join(root, "build", "typed-client");
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { ended, output } = startProgram(["types", "./shop.mjs", "--out", join(folder, "shop.mts")]);
  const told = `Wrote the types of shop to ${join(folder, "shop.mts")}.\n`;
  expect([await ended, output.stderr]).toEqual([0, told]);
  const use = (call: string) => {
    const file = join(folder, "use.mts");
    writeFileSync(
      file,
      `import { connectTyped } from "./shop.mjs";\nconst client = await connectTyped("x");\n${call}\n`,
    );
    return problemsOf(file);
  };
  expect(
    use(
      'const r = await client.tools.call("sum", { a: 1, b: 2 }); const n: number | undefined = r.structuredContent?.sum;',
    ),
  ).toEqual([]);
  expect(use('await client.tools.call("sum", { a: "1", b: 2 });')).toHaveLength(1);
  expect(use('await client.tools.call("summ", { a: 1, b: 2 });')).not.toEqual([]);
});
