import ts from "typescript";
import { expect, test } from "vitest";
import { entries, root } from "./paths.ts";

const base: ts.CompilerOptions = {
  strict: true,
  skipLibCheck: false,
  module: ts.ModuleKind.NodeNext,
  noEmit: true,
};

test.each<[where: string, options: ts.CompilerOptions]>([
  [
    "there are no types of browsers",
    {
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts"],
      types: ["node"],
      typeRoots: [`${root}/node_modules/@types`],
    },
  ],
  ["neither types nor libraries are named", {}],
])("the types compile where libraries are checked and %s", { timeout: 120_000 }, (_, options) => {
  const program = ts.createProgram({
    rootNames: entries.map(({ types }) => `${root}/${types}`),
    options: { ...base, ...options },
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file?.fileName.startsWith(`${root}dist/`) ?? true)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  expect(problems).toEqual([]);
});
