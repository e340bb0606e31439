import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { formatNumber, type Report } from "../report/table.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const toolCount = 50;

interface Style {
  readonly name: string;
  readonly opening: string;
  tool(n: number): string;
  readonly ending: string;
}

// Every schema differs from the others, so that the checker cannot answer one from its memory of another.
const schema = (n: number) => `z.object({ city${n}: z.string(), days${n}: z.number().optional() })`;

const styles: readonly Style[] = [
  {
    name: "allspeak",
    opening: `import { createServer, tool } from "allspeak";`,
    tool: (n) => `const tool${n} = tool("t${n}", { input: ${schema(n)} }, ({ city${n} }) => city${n});`,
    ending: `export const server = createServer({ name: "typed", version: "1.0.0", tools: [${listOfTools()}] });`,
  },
  {
    name: "official SDK 2",
    opening: `import { McpServer } from "@modelcontextprotocol/server";
      const server = new McpServer({ name: "typed", version: "1.0.0" });`,
    tool: (n) => `server.registerTool("t${n}", { inputSchema: ${schema(n)} }, ({ city${n} }) =>
      ({ content: [{ type: "text", text: city${n} }] }));`,
    ending: "export { server };",
  },
];

/** What the compiler has to do for each tool, over what its schema alone costs. */
export async function benchTypes(): Promise<Report> {
  const rows = styles.map((style) => {
    const text = (body: readonly string[], ending: string) =>
      [style.opening, `import { z } from "zod";`, ...body, ending].join("\n");
    const alone = countInstantiations(
      text(
        numbered((n) => `export const s${n} = ${schema(n)};`),
        "",
      ),
    );
    const whole = countInstantiations(text(numbered(style.tool), style.ending));
    return { name: style.name, perTool: (whole - alone) / toolCount };
  });
  return {
    tables: [
      {
        title: "type check of a tool with a zod schema",
        header: ["server", "instantiations per tool"],
        rows: rows.map(({ name, perTool }) => [name, formatNumber(Math.round(perTool))]),
      },
    ],
    figures: [
      {
        what: "type check, instantiations per zod tool",
        measured: Math.round(rows[0]?.perTool ?? Number.NaN),
        bound: "at most",
        limit: 1000,
      },
    ],
  };
}

function numbered(write: (n: number) => string): string[] {
  return Array.from({ length: toolCount }, (_, n) => write(n));
}

function listOfTools(): string {
  return numbered((n) => `tool${n}`).join(", ");
}

/** Checks one file of text as a program that has the packages installed. */
function countInstantiations(text: string): number {
  const file = join(root, "typed-program.ts");
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)
      : getSourceFile.call(host, name, ...rest);
  host.fileExists = (name) => name === file || fileExists.call(host, name);
  const program = ts.createProgram([file], options, host);
  const [problem] = ts.getPreEmitDiagnostics(program, program.getSourceFile(file));
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
  return program.getInstantiationCount();
}
