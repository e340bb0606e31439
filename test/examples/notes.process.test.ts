import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { connect } from "allspeak/client";
import { describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../../build/examples/notes/main.js", import.meta.url));

describe("npm start", () => {
  it("shows calls, a question and two revisions, then serves over HTTP until it is told to stop", async () => {
    const child = spawn(process.execPath, [main], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "close");
    let printed = "";
    const url = await new Promise<string>((resolve) => {
      child.stdout.on("data", (chunk) => {
        printed += chunk;
        const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(printed) ?? [];
        if (found) resolve(found);
      });
    });
    const client = await connect(url);
    const found = await client.tools.call("search-notes", { word: "cheese" });
    expect(found.structuredContent).toEqual({ titles: ["shopping"] });
    await client.close();
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(printed).toContain('the server asks: Delete "garden"?');
    expect(printed).toContain("progress: 3 of 3");
    expect(printed).toMatch(/2024-11-05 {2}\{"content"/);
    expect(printed).toMatch(/2026-07-28 {2}\{"content".*"resultType":"complete"/);
    expect(printed).toContain('"mcpServers"');
    expect(printed.match(/http:\/\/127\.0\.0\.1:\d+\/mcp {2}\w/g)).toHaveLength(4);
    expect(printed).toMatch(/every message, at\n {2}http:\/\/127\.0\.0\.1:\d+\/#token=\S+/);
  });

  it("serves on stdio: lists and reads notes, and refuses a note that is missing", async () => {
    const client = await connect({ command: process.execPath, args: [main, "--stdio"] });
    const uris = (await client.resources.list().all()).map(({ uri }) => uri);
    expect(uris).toEqual(["note:///shopping", "note:///birthday"]);
    const read = await client.resources.read("note:///shopping");
    expect(read.contents).toMatchObject([{ text: "Bread, cheese, tomatoes." }]);
    await expect(client.resources.read("note:///missing")).rejects.toMatchObject({
      name: expect.any(String),
    });
    const missing = await client.tools.call("delete-note", { title: "missing" });
    expect(missing).toMatchObject({ isError: true, content: [{ text: 'There is no note "missing".' }] });
    await client.close();
  });

  it("refuses an argument that it does not know", async () => {
    const child = spawn(process.execPath, [main, "--carrier-pigeon"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let printed = "";
    child.stderr.on("data", (chunk) => {
      printed += chunk;
    });
    expect(await once(child, "close")).toEqual([2, null]);
    expect(printed).toContain("usage: npm start");
  });
});
