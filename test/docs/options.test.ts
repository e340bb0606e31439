// The tables of docs/options.md have every option of the code, and no other. Every other option is on some page.
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";

interface Table {
  /** The heading of the section, and the file and name of the interface that it describes. */
  readonly section: string;
  readonly file: string;
  readonly type: string;
}

const tables: readonly Table[] = [
  { section: "createServer", file: "server/create-server.ts", type: "ServerOptions" },
  { section: "ctx", file: "server/context/context.ts", type: "Context" },
  { section: "tool", file: "server/define/tool.ts", type: "ToolOptions" },
  { section: "resource", file: "server/define/resource.ts", type: "ResourceOptions" },
  { section: "prompt", file: "server/define/prompt.ts", type: "PromptOptions" },
  { section: "serveStdio", file: "node/serve/serve-stdio.ts", type: "ServeStdioOptions" },
  { section: "serveHttp", file: "node/serve/serve-http-options.ts", type: "ServeHttpOptions" },
  { section: "connect", file: "client/options.ts", type: "ConnectOptions" },
];

const page = readFileSync(new URL("../../docs/options.md", import.meta.url), "utf8");

describe("docs/options.md lists exactly what the code has for", () => {
  it.each(tables)("$section", ({ section, file, type }) => {
    expect(namesIn(section)).toEqual(membersOf(new URL(`../../src/${file}`, import.meta.url), type).sort());
  });

  it("tasks of createServer", () => {
    const members = membersOf(
      new URL("../../src/server/tasks/task-options.ts", import.meta.url),
      "TaskOptions",
    );
    expect(namesIn("createServer", "tasks.")).toEqual(members.sort());
  });
});

describe("a page describes every option of", () => {
  const src = new URL("../../src/", import.meta.url);
  const docs = new URL("../../docs/", import.meta.url);
  const pages = readdirSync(docs).filter((name) => name.endsWith(".md"));
  const code = pages.flatMap(
    (name) => readFileSync(new URL(name, docs), "utf8").match(/```[\s\S]*?```|`[^`\n]+`/g) ?? [],
  );
  const words = new Set(code.join(" ").match(/\w+/g));

  it.each(publicOptions(src))("$type", ({ file, type }) => {
    const missing = ownMembersOf(file, type).filter((name) => !words.has(name));
    expect(missing).toEqual([]);
  });
});

/** Options of the interfaces that authors of transports implement, which their comments describe. */
const forTransports = ["RequestOptions", "RawRequestOptions", "ServerConnectionOptions"];

/** The interfaces of options that the entries export. */
function publicOptions(src: URL): { type: string; file: URL }[] {
  const entries = readdirSync(src).filter((name) => name.endsWith(".ts"));
  const found = new Map<string, URL>();
  for (const entry of entries)
    for (const [, names = "", path = ""] of readFileSync(new URL(entry, src), "utf8").matchAll(
      /export (?:type )?\{([^}]*)\} from "(\.[^"]+)"/g,
    ))
      for (const [type] of names.matchAll(/\b\w+Options\b/g)) found.set(type, new URL(path, src));
  return [...found]
    .filter(([type, file]) => !forTransports.includes(type) && interfaceOf(file, type) !== undefined)
    .map(([type, file]) => ({ type, file }));
}

/** The names in the first column of a section's table, without a prefix that they have. */
function namesIn(section: string, prefix = ""): string[] {
  const [, text = ""] = page.split(`\n## \`${section}\`\n`);
  const [own = ""] = text.split("\n## ");
  const rows = own.matchAll(
    new RegExp(`^\\| \`${prefix.replace(".", "\\.")}(\\w+)(?:\\([^\`]*)?\` \\|`, "gm"),
  );
  return [...rows].map(([, name = ""]) => name).sort();
}

/** The members of an interface, with those that it inherits. */
function membersOf(file: URL, type: string): string[] {
  const source = parse(file);
  const bases = interfaceOf(file, type)?.heritageClauses?.flatMap(({ types }) => [...types]) ?? [];
  const inherited = bases.flatMap((base) => inheritedMembers(source, file, base));
  return [...new Set([...ownMembersOf(file, type), ...inherited])];
}

function ownMembersOf(file: URL, type: string): string[] {
  const found = interfaceOf(file, type);
  if (found === undefined) throw new Error(`${file.pathname} has no interface ${type}.`);
  return found.members.map(({ name }) => (name && ts.isIdentifier(name) ? name.text : ""));
}

function interfaceOf(file: URL, type: string): ts.InterfaceDeclaration | undefined {
  return parse(file).statements.find(
    (one): one is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === type,
  );
}

function parse(file: URL): ts.SourceFile {
  return ts.createSourceFile(file.pathname, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
}

function inheritedMembers(
  source: ts.SourceFile,
  file: URL,
  { expression, typeArguments = ts.factory.createNodeArray() }: ts.ExpressionWithTypeArguments,
): string[] {
  const name = (expression as ts.Identifier).text;
  if (name !== "Pick") return membersOf(declaringFile(source, file, name), name);
  const picked = typeArguments[1];
  const literals = picked && ts.isUnionTypeNode(picked) ? picked.types : [picked];
  return literals.map((one) => ((one as ts.LiteralTypeNode).literal as ts.StringLiteral).text);
}

/** The file that declares a name: this one, or the one that it is imported from. */
function declaringFile(source: ts.SourceFile, file: URL, name: string): URL {
  const importing = source.statements.find(
    (one): one is ts.ImportDeclaration =>
      ts.isImportDeclaration(one) &&
      new RegExp(`\\b${name}\\b`).test(one.importClause?.getText(source) ?? ""),
  );
  return importing ? new URL((importing.moduleSpecifier as ts.StringLiteral).text, file) : file;
}
