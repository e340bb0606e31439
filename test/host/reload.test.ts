import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerApproval } from "allspeak/host";
import { fileTrustStore } from "allspeak/node";
import { describe, expect, test } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { openTestHost, plainEntry, reaches } from "./fixtures/servers.ts";

/** Writes a file as editors do: another file takes its name. */
function write(path: string, mcpServers: object): void {
  writeFileSync(`${path}.new`, JSON.stringify({ mcpServers }));
  renameSync(`${path}.new`, path);
}

function createFile(mcpServers: object): string {
  const path = join(createTemporaryFolder(), "mcp.json");
  write(path, mcpServers);
  return path;
}

const pidOf = async (call: Promise<{ readonly text: string }>) => JSON.parse((await call).text).pid;

describe("the file of a host", () => {
  test("is followed: servers come, go and restart, and others go on", async () => {
    const config = createFile({ stays: plainEntry("read"), goes: plainEntry("read") });
    const host = await openTestHost({ config, approve: () => true });
    expect((await host.tools()).map(({ name }) => name)).toEqual([
      "stays__read",
      "stays__die",
      "goes__read",
      "goes__die",
    ]);
    const pid = await pidOf(host.call("stays__read"));
    const listed = new Promise<void>((resolve) => {
      host.onChange(({ server, added }) => server === "comes" && added.length > 0 && resolve());
    });
    write(config, { comes: plainEntry("read"), stays: plainEntry("read") });
    await listed;
    expect((await host.tools()).map(({ name }) => name)).toEqual([
      "comes__read",
      "comes__die",
      "stays__read",
      "stays__die",
    ]);
    expect(await pidOf(host.call("stays__read"))).toBe(pid);
    expect((await host.call("goes__read")).isError).toBe(true);
  });

  test("a file that is broken for a while changes nothing, and is reported", async () => {
    const config = createFile({ a: plainEntry("read") });
    const host = await openTestHost({ config, watch: false });
    const pid = await pidOf(host.call("a__read"));
    writeFileSync(config, "{ not JSON");
    await expect(host.reload()).rejects.toThrow("is not JSON");
    expect(await pidOf(host.call("a__read"))).toBe(pid);
  });

  test("switching a server off and allowing other tools restarts nothing", async () => {
    const config = createFile({ a: plainEntry("read", "write"), b: plainEntry("read") });
    const host = await openTestHost({ config, watch: false });
    await host.tools();
    const pid = await pidOf(host.call("a__read"));
    write(config, {
      a: { ...plainEntry("read", "write"), disabledTools: ["write", "die"] },
      b: { ...plainEntry("read"), disabled: true },
    });
    await host.reload();
    expect((await host.tools()).map(({ name }) => name)).toEqual(["a__read"]);
    expect(await pidOf(host.call("a__read"))).toBe(pid);
    expect(host.server("b")?.state).toBe("disabled");
  });

  test("several files are joined; the last one has priority", async () => {
    const user = createFile({ a: plainEntry("old"), b: plainEntry("read") });
    const project = createFile({ a: plainEntry("new") });
    const host = await openTestHost({ config: [user, project], watch: false });
    expect((await host.tools()).map(({ name }) => name)).toEqual(["a__new", "a__die", "b__read", "b__die"]);
  });

  test("asks the user for inputs once, and not before the server starts", async () => {
    const path = join(createTemporaryFolder(), "mcp.json");
    const entry = { ...plainEntry("read"), env: { KEY: "${input:key}" } };
    const inputs = [{ type: "promptString", id: "key", description: "The key", password: true }];
    writeFileSync(path, JSON.stringify({ servers: { a: entry, b: entry }, inputs }));
    const asked: unknown[] = [];
    const host = await openTestHost({
      config: path,
      input: ({ id, description, isSecret }) => {
        asked.push({ id, description, isSecret });
        return "s3cret";
      },
    });
    expect(asked).toEqual([]);
    expect(JSON.parse((await host.call("a__read")).text)).toMatchObject({ KEY: "s3cret" });
    expect(JSON.parse((await host.call("b__read")).text)).toMatchObject({ KEY: "s3cret" });
    expect(asked).toEqual([{ id: "key", description: "The key", isSecret: true }]);
    expect(host.server("a")?.serverId).not.toContain("s3cret");
  });
});

describe("an approved entry (CVE-2025-54136, MCPoison)", () => {
  test.each([
    ["command", { ...plainEntry("read"), command: "/bin/sh" }, "+ command"],
    ["arguments", plainEntry("read", "--evil"), '+ args.2: "--evil"'],
    [
      "environment",
      { ...plainEntry("read"), env: { NODE_OPTIONS: "--require /tmp/evil.js" } },
      "+ env.NODE_OPTIONS: ",
    ],
    ["kind", { url: "https://evil.example/mcp" }, '+ url: "https://evil.example/mcp"'],
  ])("that changes its %s is not started until it is approved again", async (_what, changed, line) => {
    const config = createFile({ a: plainEntry("read") });
    const host = await openTestHost({ config, watch: false });
    await host.tools();
    write(config, { a: changed });
    await host.reload();
    const result = await host.call("a__read");
    expect(result).toMatchObject({
      isError: true,
      error: { code: "server-held", server: "a", reason: "changed" },
    });
    expect(host.server("a")).toMatchObject({ state: "held", connections: 0 });
    const { diff } = result.error as unknown as { readonly diff: readonly string[] };
    expect(diff.join("\n")).toContain(line);
  });

  test("starts once the host approves it", async () => {
    const config = createFile({ a: plainEntry("read") });
    const host = await openTestHost({ config, watch: false });
    await host.tools();
    write(config, { a: plainEntry("other") });
    await host.reload();
    await reaches(host, "a", "held");
    await host.tools();
    expect(host.problems.filter(({ message }) => message.includes("held back"))).toHaveLength(1);
    const listed = new Promise((resolve) => host.onChange(resolve));
    await host.server("a")?.approve();
    expect(await listed).toMatchObject({ server: "a", added: [{ name: "a__other" }, { name: "a__die" }] });
    expect((await host.call("a__other")).isError).toBe(false);
  });

  test("is remembered in a store, without the values of its environment", async () => {
    const folder = createTemporaryFolder();
    const store = fileTrustStore(join(folder, "trust.json"));
    const config = join(folder, "mcp.json");
    const approvals: ServerApproval[] = [];
    const approve = (approval: ServerApproval) => {
      approvals.push(approval);
      return approval.reason === "new";
    };
    const open = () => openTestHost({ config, watch: false, store, approve });
    write(config, { a: { ...plainEntry("read"), env: { KEY: "s3cret" } } });
    expect((await (await open()).call("a__read")).isError).toBe(false);
    expect((await (await open()).call("a__read")).isError).toBe(false);
    expect(approvals.map(({ reason }) => reason)).toEqual(["new"]);
    write(config, { a: { ...plainEntry("read"), env: { KEY: "0ther" } } });
    const host = await open();
    expect((await host.call("a__read")).error).toMatchObject({ code: "server-held" });
    expect((await host.call("a__read")).error).toMatchObject({ code: "server-held" });
    expect(approvals.map(({ reason }) => reason)).toEqual(["new", "changed"]);
    expect(approvals[1]?.entry).toMatchObject({ env: { KEY: "0ther" } });
    expect(approvals[1]?.diff.join("\n")).not.toMatch(/s3cret|0ther/);
  });

  test("that was declined once is not asked about again, and other servers go on", async () => {
    const asked: string[] = [];
    const config = createFile({ bad: plainEntry("read"), good: plainEntry("read") });
    const host = await openTestHost({
      config,
      approve: ({ server }) => {
        asked.push(server);
        return server === "good";
      },
    });
    await host.tools();
    expect((await host.tools()).map(({ name }) => name)).toEqual(["good__read", "good__die"]);
    expect(asked.sort()).toEqual(["bad", "good"]);
  });
});
