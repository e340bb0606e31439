import ts from "typescript";
import { expect, test } from "vitest";
import { entries, root } from "./paths.ts";

test("the types compile where libraries are checked and there are no types of browsers", {
  timeout: 60_000,
}, () => {
  const program = ts.createProgram({
    rootNames: entries.map(({ types }) => `${root}/${types}`),
    options: {
      strict: true,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ["node"],
      typeRoots: [`${root}/node_modules/@types`],
      noEmit: true,
    },
  });
  const problems = ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file?.fileName.startsWith(`${root}dist/`) ?? true)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  expect(problems).toEqual([]);
});
