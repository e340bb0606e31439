import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { connect } from "allspeak/client";
import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "../support/program.ts";
import { createProject } from "../support/project.ts";
import { bin } from "../support/terminal.ts";

const everything = join(
  import.meta.dirname,
  "../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);

/** A server of the newest revision alone, which asks its user. */
const newest = `
  import { createServer } from "allspeak";
  const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  export const server = createServer({ name: "newest", version: "1.0.0", revisions: ["2026-07-28"] });
  server.tool("greet", {}, async (_, ctx) => {
    const { content } = await ctx.elicit("Who are you?", form);
    return "Hello " + content.name;
  });
`;

function createFolder(): string {
  const folder = createProject({ "newest.mjs": newest, "package.json": '{ "type": "module" }' });
  const mcpServers = {
    newest: { command: process.execPath, args: [bin, "serve", "./newest.mjs"], cwd: folder },
    everything: {
      command: process.execPath,
      args: [everything],
      tools: { "get-env": { deny: true }, echo: { rename: "say" } },
    },
    broken: { command: process.execPath, args: ["-e", "process.exit(3)"] },
  };
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers }));
  return folder;
}

/** A host of the official SDK 1 that can answer everything. */
async function connectOfficial(cwd: string, args: readonly string[]): Promise<Client> {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client({ name: "host", version: "1" }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ann" } }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: "file:///here", name: "here" }],
  }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: "assistant",
    model: "m",
    content: { type: "text", text: "a sample" },
  }));
  const command = { command: process.execPath, args: [bin, ...args], cwd, stderr: "ignore" as const };
  await client.connect(new StdioClientTransport({ ...command, env: { ALLSPEAK_HOME: cwd, PATH: "" } }));
  onTestFinished(() => client.close());
  return client;
}

test("a host of the official SDK 1 on stdio uses a server of 2026-07-28, server-everything and no broken one through one gateway", async () => {
  const cwd = createFolder();
  const client = await connectOfficial(cwd, ["gateway", "mcp.json", "--audit", "calls.jsonl"]);
  const textOf = async (name: string, args = {}) => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as { text: string }[]).map(({ text }) => text).join("\n");
  };
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["newest__greet", "say", "everything__get-sum"]));
  expect(names).not.toContain("everything__get-env");
  expect(await textOf("newest__greet")).toBe("Hello Ann");
  expect(await textOf("say", { message: "hi" })).toBe("Echo: hi");
  expect(await textOf("everything__trigger-sampling-request", { prompt: "x", maxTokens: 5 })).toContain(
    "a sample",
  );
  expect(await textOf("everything__trigger-elicitation-request")).toContain("Ann");
  expect(await textOf("everything__get-roots-list")).toContain("file:///here");
  const seen: number[] = [];
  await client.callTool(
    { name: "everything__trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } },
    undefined,
    { onprogress: ({ progress }) => seen.push(progress) },
  );
  // This client loses progress that it reads in one piece with the result, as it may the last one.
  expect(seen).toEqual(expect.arrayContaining([1, 2]));
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.length).toBeGreaterThan(0);
  const { contents } = await client.readResource({ uri: "demo://resource/dynamic/text/1" });
  expect(contents[0]?.uri).toBe("demo://resource/dynamic/text/1");
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain("everything__simple-prompt");
  await client.close();

  const entries = readFileSync(join(cwd, "calls.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entries.slice(0, 2)).toMatchObject([
    { server: "newest", tool: "greet", name: "newest__greet", outcome: "ok", client: "host" },
    { server: "everything", tool: "echo", name: "say", outcome: "ok" },
  ]);
});

test("a client of 2026-07-28 alone uses server-everything through a gateway", async () => {
  const program = startProgram(["gateway", "mcp.json", "--http", ":0"], { cwd: createFolder() });
  const [, url = ""] = await program.shows("stdout", /on (http:\/\/\S+);/);
  const client = await connect(url, { revisions: ["2026-07-28"] });
  expect(client.server.revision).toBe("2026-07-28");
  const result = await client.tools.call("everything__get-sum", { a: 2, b: 3 });
  expect(JSON.stringify(result.content)).toContain("5");
  await client.close();
  program.child.kill("SIGTERM");
  await program.ended;
});

test("an entry that was added since the last run is held back, and --yes agrees to it", async () => {
  const cwd = createProject({});
  const plain = join(import.meta.dirname, "../../host/fixtures/plain-server.mjs");
  const entry = { command: process.execPath, args: [plain, "read"] };
  const write = (mcpServers: object) => writeFileSync(join(cwd, "mcp.json"), JSON.stringify({ mcpServers }));
  /** The tools of the gateway in a run of its own, and what it wrote to standard error. */
  const run = async (...more: string[]) => {
    const line = ["gateway", "mcp.json", "--http", ":0", ...more];
    const program = startProgram(line, { cwd, env: { ALLSPEAK_HOME: cwd } });
    const [, url = ""] = await program.shows("stdout", /on (http:\/\/\S+);/);
    const host = await connect(url);
    const tools = (await host.tools.list().all()).map(({ name }) => name);
    await host.close();
    program.child.kill("SIGTERM");
    await program.ended;
    return { tools, stderr: program.output.stderr };
  };
  write({ first: entry });
  expect((await run()).tools).toContain("first__read");
  write({ first: entry, added: { ...entry, env: { ADDED: "1" } } });
  const held = await run();
  expect(held.tools).toEqual(["first__read", "first__die"]);
  expect(held.stderr).toContain("with ADDED=1");
  expect(held.stderr).toMatch(/"added" is held back: .* or agree with --yes\./);
  expect((await run("--yes")).tools).toContain("added__read");
});

test("a file without servers is served, since it may get some, with a word about it", async () => {
  const cwd = createProject({ "mcp.json": JSON.stringify({ mcpServers: {} }) });
  const { ended, output } = startProgram(["gateway", "mcp.json"], { cwd });
  expect(await ended).toBe(0);
  expect(output.stderr).toBe("mcp.json names no servers: the gateway offers nothing until you add one.\n");
});
