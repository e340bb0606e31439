import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { connect } from "allspeak/client";
import { expect, onTestFinished, test } from "vitest";
import { startProgram } from "../support/program.ts";
import { createProject } from "../support/project.ts";
import { bin } from "../support/terminal.ts";

const serverOf = (revision: string) => `
  import { createServer } from "allspeak";
  const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  export const server = createServer({ name: "behind", version: "1.0.0", revisions: ["${revision}"] });
  server.tool("greet", {}, async (_, ctx) => {
    const { content } = await ctx.elicit("Who are you?", form);
    return "Hello " + content.name;
  });
`;

function projectOf(revision: string): string {
  const folder = createProject({ "server.mjs": serverOf(revision) });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}

test("a host of the official SDK 1 on stdio uses a server of 2026-07-28 alone", async () => {
  const cwd = projectOf("2026-07-28");
  const client = new Client({ name: "host", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ann" } }));
  const args = [bin, "bridge", "./server.mjs"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, stderr: "ignore" }));
  onTestFinished(() => client.close());
  expect(client.getServerVersion()).toMatchObject({ name: "behind" });
  const result = await client.callTool({ name: "greet", arguments: {} });
  expect(result.content).toEqual([{ type: "text", text: "Hello Ann" }]);
});

test("a module is bridged by the library that it was made with", async () => {
  const cwd = createProject(
    { "server.mjs": serverOf("2025-11-25"), "package.json": '{ "type": "module" }' },
    [],
  );
  const copy = join(cwd, "node_modules", "allspeak");
  const root = join(import.meta.dirname, "../../..");
  for (const part of ["dist", "package.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  const program = startProgram(["bridge", "./server.mjs", "--http", ":0"], { cwd });
  const [, url = ""] = await program.shows("stdout", /on (http:\/\/\S+);/);
  const client = await connect(url);
  onTestFinished(() => client.close());
  // Of another library, the error would be unknown and masked.
  await expect(client.tools.call("none")).rejects.toMatchObject({ wireCode: -32602 });
});

test("a client of 2026-07-28 alone uses an old server over HTTP", async () => {
  const cwd = projectOf("2025-11-25");
  const program = startProgram(["bridge", "./server.mjs", "--http", ":0"], { cwd });
  const [, url = ""] = await program.shows("stdout", /on (http:\/\/\S+);/);
  const client = await connect(url, {
    revisions: ["2026-07-28"],
    elicit: () => ({ action: "accept", content: { name: "Bo" } }),
  });
  onTestFinished(() => client.close());
  expect((await client.tools.call("greet")).content).toMatchObject([{ text: "Hello Bo" }]);
  program.child.kill("SIGTERM");
  expect(await program.ended).toBe(143);
});

test("a client of 2026-07-28 alone uses the official server-everything", async () => {
  const path = join(
    import.meta.dirname,
    "../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
  );
  const program = startProgram(["bridge", `"${process.execPath}" "${path}"`, "--http", ":0"]);
  const [, url = ""] = await program.shows("stdout", /on (http:\/\/\S+);/);
  const client = await connect(url, {
    revisions: ["2026-07-28"],
    sample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "a sample" } }),
  });
  onTestFinished(() => client.close());
  const tools = await client.tools.list().all();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo"]));
  expect((await client.tools.call("echo", { message: "hi" })).content).toMatchObject([{ text: "Echo: hi" }]);
  expect((await client.tools.call("trigger-sampling-request", { prompt: "?" })).content).toMatchObject([
    { text: expect.stringContaining("a sample") },
  ]);
  program.child.kill("SIGTERM");
  expect(await program.ended).toBe(143);
});
