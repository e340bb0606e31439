/** The files of a new project: a server, a test of it, and how it is started. */
export function starterFiles(name: string, version: string): ReadonlyMap<string, string> {
  return new Map([
    ["package.json", toJson(manifestOf(name, version))],
    ["tsconfig.json", toJson(tsconfig)],
    ["server.ts", serverOf(name)],
    ["server.test.ts", test],
    ["README.md", readmeOf(name)],
    [".gitignore", "node_modules\n"],
  ]);
}

const toJson = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;

function manifestOf(name: string, version: string) {
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      start: "allspeak serve ./server.ts",
      dev: "allspeak serve ./server.ts --http :3000 --watch",
      test: "node --import tsx --test server.test.ts",
      check: "tsc --noEmit -p .",
    },
    dependencies: { allspeak: `^${version}`, zod: "^4.0.0" },
    devDependencies: { "@types/node": "^20.19.0", tsx: "^4.0.0", typescript: "^6.0.0" },
  };
}

const tsconfig = {
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
  },
};

function serverOf(name: string): string {
  return `import { createServer, ResourceNotFoundError, ToolError, tool } from "allspeak";
import { z } from "zod";

const notes = new Map<string, string>([["welcome", "Write a note, then read it as a resource."]]);

const writeNote = tool(
  "write-note",
  {
    description: "Writes a note, or replaces it",
    input: {
      name: z.string().describe("The name of the note"),
      text: z.string().describe("What the note says"),
    },
  },
  async ({ name, text }) => {
    if (text === "") throw new ToolError("A note needs a text."); // the model reads this
    notes.set(name, text);
    await server.resources.updated(\`note://\${encodeURIComponent(name)}\`);
    return \`Wrote \${name}.\`;
  },
);

export const server = createServer({ name: ${JSON.stringify(name)}, version: "0.1.0", tools: [writeNote] });

server.resource(
  "note://{name}",
  {
    name: "Note",
    description: "A note by its name",
    mimeType: "text/plain",
    complete: { name: (typed) => [...notes.keys()].filter((key) => key.startsWith(typed)) },
  },
  ({ name }, { uri }) => {
    const text = notes.get(name);
    if (text === undefined) throw new ResourceNotFoundError(uri);
    return text;
  },
);
`;
}

const test = `import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "allspeak/client";
import { server } from "./server.ts";

test("a note that was written can be read", async () => {
  const client = await connect(server);
  await client.tools.call("write-note", { name: "cats", text: "They purr." });
  const { contents } = await client.resources.read("note://cats");
  assert.deepEqual(contents.map((part) => "text" in part && part.text), ["They purr."]);
  await client.close();
});

test("a note that nobody wrote is not found", async () => {
  const client = await connect(server);
  await assert.rejects(client.resources.read("note://dogs"), /not found/i);
  await client.close();
});

test("a note without a text is refused, and the model is told why", async () => {
  const client = await connect(server);
  const result = await client.tools.call("write-note", { name: "cats", text: "" });
  assert.equal(result.isError, true);
  assert.deepEqual(result.content, [{ type: "text", text: "A note needs a text." }]);
  await client.close();
});
`;

function readmeOf(name: string): string {
  return `# ${name}

An MCP server made with [allspeak](https://www.npmjs.com/package/allspeak).

\`\`\`sh
npm install
npm test
npx allspeak call ./server.ts write-note name=cats text="They purr."
npm run dev                                        # over HTTP, with reload on change
npx allspeak doctor ./server.ts
\`\`\`
`;
}
