// Holds the cost that a typed server and its typed client add to a user's type check.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const toolCount = 100;
const maxInstantiationsPerTool = 1_000;

const numbers = Array.from({ length: toolCount }, (_, index) => index);

// Every schema differs from the others, so that the checker cannot answer one from its memory of another.
const input = (n: number) => `z.object({ location${n}: z.string().describe("City name or coordinates") })`;
const output = (n: number) => `z.object({ celsius${n}: z.number() })`;

const imports = `
  import { createServer, tool } from "allspeak";
  import { connect } from "allspeak/client";
  import { z } from "zod";
`;

const bareSchemas = numbers.map(
  (n) => `export const input${n} = ${input(n)}; export const output${n} = ${output(n)};`,
);

const toolOf = (n: number) => `const tool${n} = tool(
    "tool-${n}",
    { description: "Tool ${n}", input: ${input(n)}, output: ${output(n)} },
    async ({ location${n} }, ctx) => {
      await ctx.progress(1, 2, location${n});
      return { celsius${n}: location${n}.length };
    },
  );`;

const serverOf = (tools: readonly number[]) => `
  ${tools.map(toolOf).join("\n")}
  export const server = createServer({
    name: "typed", version: "1.0.0", tools: [${tools.map((n) => `tool${n}`).join(", ")}],
  });`;

const calls = numbers.map(
  (n) => `
    const result${n} = await client.tools.call("tool-${n}", { location${n}: "Oslo" });
    const celsius${n}: number | undefined = result${n}.structuredContent?.celsius${n};
    console.log(celsius${n});`,
);

const clientOf = (body: string) => `export async function use() {
  const client = await connect<typeof server>(server);
  ${body}
}`;

const rightCall = `await client.tools.call("tool-0", { location0: "Oslo" });`;
const wrongCalls: readonly [what: string, call: string][] = [
  ["an unknown tool", `await client.tools.call("tool-x", { location0: "Oslo" });`],
  ["a missing argument", `await client.tools.call("tool-0", {});`],
  ["an argument of the wrong type", `await client.tools.call("tool-0", { location0: 1 });`],
  [
    "a result read as what it is not",
    `const result = await client.tools.call("tool-0", { location0: "Oslo" }); const celsius: string | undefined = result.structuredContent?.celsius0; console.log(celsius);`,
  ],
];

test(`${toolCount} tools and a typed call of each stay under the budget`, { timeout: 120_000 }, () => {
  const baseline = check([imports, ...bareSchemas].join("\n"));
  const full = check([imports, serverOf(numbers), clientOf(calls.join("\n"))].join("\n"));

  expect(full.errors).toEqual([]);
  const perTool = (full.instantiations - baseline.instantiations) / toolCount;
  expect(perTool).toBeLessThan(maxInstantiationsPerTool);
});

test.each(wrongCalls)("the compiler refuses %s", { timeout: 120_000 }, (_, call) => {
  expect(checkCalls().filter((line) => line.includes(call))).toHaveLength(1);
});

test("the compiler takes the right call beside them", { timeout: 120_000 }, () => {
  expect(checkCalls()).toHaveLength(wrongCalls.length);
});

let refused: readonly string[] | undefined;

/** The line of each error in a program that makes the right call and all wrong ones. */
function checkCalls(): readonly string[] {
  const blocks = [rightCall, ...wrongCalls.map(([, call]) => call)].map((call) => `{ ${call} }`);
  const text = [imports, serverOf([0]), clientOf(blocks.join("\n"))].join("\n");
  refused ??= check(text).lines;
  return refused;
}

/** Type-checks one file of text as a user of the built package would. */
function check(text: string): { errors: string[]; lines: string[]; instantiations: number } {
  const file = join(root, "typed-program.ts");
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : read.call(host, name, ...rest);
  const exists = host.fileExists;
  host.fileExists = (name) => name === file || exists.call(host, name);

  const program = ts.createProgram([file], options, host);
  const diagnostics = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
  const errors = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  const lines = diagnostics.map(
    ({ start = 0 }) => text.slice(0, text.indexOf("\n", start)).split("\n").at(-1) ?? "",
  );
  return { errors, lines, instantiations: program.getInstantiationCount() };
}
