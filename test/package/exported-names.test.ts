// A name added, lost or renamed shows here first. When it is meant: npx vitest run test/package -u
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { entries, root } from "./paths.ts";

const program = ts.createProgram(
  entries.map(({ types }) => join(root, types)),
  { module: ts.ModuleKind.NodeNext, skipLibCheck: true },
);
const checker = program.getTypeChecker();

describe.each(entries)("$name", ({ name, types }) => {
  const declared = declaredNames(join(root, types));

  test("exports the names that are listed, and no other", async () => {
    const list = [...declared.values, ...declared.types.map((type) => `type ${type}`)].join("\n");
    await expect(`${list}\n`).toMatchFileSnapshot(`exported-names/${name.replaceAll("/", "-")}.txt`);
  });

  test("loads under plain Node with the values its types declare", () => {
    expect(loadedNames(name)).toEqual(declared.values);
  });
});

function declaredNames(file: string): { values: string[]; types: string[] } {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not a module.`);
  const isValue = (symbol: ts.Symbol) => {
    const aliased = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return Boolean(aliased.flags & ts.SymbolFlags.Value) && !isTypeOnly(symbol);
  };
  const names = (symbols: ts.Symbol[]) => symbols.map(({ name }) => name).sort();
  const all = checker.getExportsOfModule(module);
  return { values: names(all.filter(isValue)), types: names(all.filter((symbol) => !isValue(symbol))) };
}

function isTypeOnly({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  );
}

function loadedNames(name: string): unknown {
  const program = `console.log(JSON.stringify(Object.keys(await import("${name}")).sort()))`;
  const args = ["--input-type=module", "--eval", program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }));
}
