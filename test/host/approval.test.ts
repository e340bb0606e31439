import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TrustStore } from "allspeak/client";
import { inspectServer, parseHostConfig } from "allspeak/host";
import { fileTrustStore } from "allspeak/node";
import { describe, expect, test } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { openTestHost, plainEntry, reaches } from "./fixtures/servers.ts";

interface Written {
  readonly servers: object;
  readonly inputs?: readonly object[];
}

const write = (path: string, config: Written) => writeFileSync(path, JSON.stringify(config));

function createFolder(config: Written): { folder: string; config: string } {
  const folder = createTemporaryFolder();
  const path = join(folder, "mcp.json");
  write(path, config);
  return { folder, config: path };
}

const keyInput = (value: string) => [{ id: "key", type: "promptString", default: value }];
const heldFor = (reason: string) => ({
  isError: true,
  error: {
    code: "server-held",
    reason,
    message: expect.stringMatching(/approve it by host\.server\("\w+"\)\.approve\(\)\.$/),
  },
});

describe("an approval covers", () => {
  test("the defaults of the inputs that an entry uses", async () => {
    const servers = { a: { ...plainEntry("read"), env: { KEY: "${input:key}" } }, b: plainEntry("read") };
    const { config } = createFolder({ servers, inputs: keyInput("one") });
    const host = await openTestHost({ config, watch: false });
    expect(JSON.parse((await host.call("a__read")).text)).toMatchObject({ KEY: "one" });
    await host.call("b__read");
    write(config, { servers, inputs: keyInput("two") });
    await host.reload();
    expect(await host.call("a__read")).toMatchObject(heldFor("changed"));
    expect((await host.call("b__read")).isError).toBe(false);
    expect(host.server("a")?.error).toMatchObject({
      diff: expect.arrayContaining(['+ inputs.key.default: "two"']),
    });
  });

  test("the contents of its envFile, and of the files that its values name", async () => {
    const { folder, config } = createFolder({ servers: {} });
    const [envFile, secret] = [join(folder, ".env"), join(folder, "secret")];
    writeFileSync(envFile, "KEY=one");
    writeFileSync(secret, "s3cret");
    write(config, {
      servers: {
        a: { ...plainEntry("read"), envFile: join("${WHERE}", ".env") },
        b: { ...plainEntry("read"), env: { KEY: `\${file:${secret}}` } },
      },
    });
    const options = { config, watch: false, env: { ...process.env, WHERE: folder } };
    const store = fileTrustStore(join(folder, "trust.json"));
    const first = await openTestHost({ ...options, store });
    expect(JSON.parse((await first.call("a__read")).text)).toMatchObject({ KEY: "one" });
    expect(JSON.parse((await first.call("b__read")).text)).toMatchObject({ KEY: "s3cret" });
    writeFileSync(envFile, "KEY=one\nNODE_OPTIONS=--require ./evil.js");
    writeFileSync(secret, "0ther");
    const second = await openTestHost({ ...options, store });
    for (const tool of ["a__read", "b__read"])
      expect(await second.call(tool)).toMatchObject(heldFor("changed"));
    expect(JSON.stringify(second.server("b")?.error)).not.toMatch(/s3cret|0ther/);
  });

  test("inputs of the entry's own file: another file can't give them another default", async () => {
    const own = createFolder({
      servers: { a: { ...plainEntry("read"), env: { KEY: "${input:key}" } } },
      inputs: keyInput("one"),
    });
    const other = createFolder({ servers: { b: plainEntry("read") }, inputs: keyInput("evil") });
    const host = await openTestHost({ config: [own.config, other.config], watch: false });
    expect(JSON.parse((await host.call("a__read")).text)).toMatchObject({ KEY: "one" });
  });

  test("that a file was missing: one that is written later is not read", async () => {
    const { folder } = createFolder({ servers: {} });
    const late = join(folder, "late");
    const entry = { command: "node", env: { KEY: `\${file:${late}}` } };
    const { servers } = parseHostConfig(JSON.stringify({ mcpServers: { a: entry } }));
    const inspected = await Promise.all([...servers.values()].map((server) => inspectServer(server)));
    writeFileSync(late, "evil");
    await expect(inspected[0]?.resolve()).rejects.toThrow("could not be read when the server was approved");
  });

  test("what was shown, and nothing that came after it", async () => {
    const { config } = createFolder({ servers: { a: plainEntry("read") } });
    const host = await openTestHost({ config, watch: false });
    write(config, { servers: { a: plainEntry("shown") } });
    await host.reload();
    expect(await host.call("a__shown")).toMatchObject(heldFor("changed"));
    const { sha256 } = (host.server("a")?.error ?? {}) as { readonly sha256?: string };
    write(config, { servers: { a: plainEntry("evil") } });
    await host.reload();
    await expect(host.server("a")?.approve(sha256)).rejects.toThrow("has changed since it was shown");
    expect(await host.call("a__evil")).toMatchObject(heldFor("changed"));
    await host.server("a")?.approve();
    expect((await host.call("a__evil")).isError).toBe(false);
  });
});

describe("an entry that comes later", () => {
  test("to a file that is followed is held back until it is approved", async () => {
    const { config } = createFolder({ servers: { a: plainEntry("read") } });
    const host = await openTestHost({ config });
    await host.tools();
    write(config, { servers: { a: plainEntry("read"), added: plainEntry("read") } });
    await host.reload();
    await host.tools();
    await reaches(host, "added", "held");
    expect(await host.call("added__read")).toMatchObject(heldFor("new"));
    await host.server("added")?.approve();
    expect((await host.call("added__read")).isError).toBe(false);
  });

  test("between two runs of a host is held back, and one that was not used before is not", async () => {
    const { folder, config } = createFolder({
      servers: { a: plainEntry("read"), unused: plainEntry("read") },
    });
    const store = fileTrustStore(join(folder, "trust.json"));
    await openTestHost({ config, watch: false, store });
    write(config, { servers: { unused: plainEntry("read"), added: plainEntry("read") } });
    const host = await openTestHost({ config, watch: false, store });
    expect((await host.call("unused__read")).isError).toBe(false);
    expect(await host.call("added__read")).toMatchObject(heldFor("new"));
  });
});

test("inspectServer shows all that decides what is started, with values of headers and files masked", async () => {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, ".env"), "TOKEN=abcdefghijklmnop");
  const { servers, inputs } = parseHostConfig(
    JSON.stringify({
      servers: {
        program: {
          ...plainEntry(),
          command: "run",
          args: ["a b"],
          env: { A: "1" },
          envFile: join(folder, ".env"),
        },
        page: {
          url: "https://x.example",
          headers: { Authorization: "Bearer s3cret-t0ken", "X-Key": "${input:key}" },
        },
      },
      inputs: [{ id: "key", description: "The key", default: "none" }],
    }),
  );
  const linesOf = async (name: string) => {
    const server = servers.get(name);
    return server && (await inspectServer(server, inputs)).lines;
  };
  expect(await linesOf("program")).toEqual([
    'run "a b"',
    "with A=1",
    `with the variables of ${join(folder, ".env")}:`,
    "  TOKEN=abcd… (16 characters)",
  ]);
  expect(await linesOf("page")).toEqual([
    "https://x.example",
    "with the header Authorization: Bear… (19 characters)",
    "with the header X-Key: ${input:key}",
    'asks for key (The key), else takes "none"',
  ]);
});

test("the first entries of a file are approved together, so that a store can keep them with one write", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `s${index}`);
  const { config } = createFolder({
    servers: Object.fromEntries(names.map((name) => [name, plainEntry("read")])),
  });
  const kept = new Map<string, unknown>();
  let writeAll = () => {};
  const written = new Promise<void>((resolve) => {
    writeAll = resolve;
  });
  const store: TrustStore = {
    get: (key) => kept.get(key),
    update: async (key, change) => {
      kept.set(key, change(kept.get(key)));
      if (kept.size === names.length) writeAll();
      await written;
    },
  };
  const host = await openTestHost({ config, watch: false, store });
  expect(host.servers).toHaveLength(names.length);
  expect(kept.size).toBe(names.length + 1);
});
