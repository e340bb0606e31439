import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { packageVersion } from "../../src/client/connect/package-version.ts";
import { splitCommand } from "../../src/client/connect/split-command.ts";
import { connect, type Target } from "../../src/client.ts";
import { UsageError } from "../../src/errors.ts";
import { createServer } from "../../src/index.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer } from "../support/scripted-server.ts";

const fragile = fileURLToPath(new URL("./fixtures/fragile-server.mjs", import.meta.url));

describe("a command line", () => {
  test.each([
    ["npx server", ["npx", "server"]],
    ["  npx   -y\tserver  ", ["npx", "-y", "server"]],
    [`node "my server.js" --name 'A "B" C'`, ["node", "my server.js", "--name", 'A "B" C']],
    [`node --name="A \\"B\\" C"`, ["node", '--name=A "B" C']],
    [
      `"C:\\Program Files\\node.exe" C:\\dir\\server.js`,
      ["C:\\Program Files\\node.exe", "C:\\dir\\server.js"],
    ],
    [`node '' ""`, ["node", "", ""]],
    ["node $(id) `id` ; rm -rf / | cat > x && $HOME *", null],
  ])("%s is split and nothing else", (line, words) => {
    const { command, args = [] } = splitCommand(line);
    expect([command, ...args]).toEqual(words ?? line.split(" "));
  });

  test.each(["", "   ", `''`, `node "never closed`, `node 'never closed`])("%j is refused", (line) => {
    expect(() => splitCommand(line)).toThrow(UsageError);
  });
});

describe("what connect takes", () => {
  test("a value that can be served", async () => {
    const server = createServer({ name: "value", version: "1.0.0" });
    const client = await openClient({ "~service": () => server["~service"]() });
    expect(client.server).toMatchObject({ revision: "2026-07-28", info: { name: "value" } });
  });

  test("a transport", async () => {
    const { transport } = discoverServer();
    const client = await openClient(transport);
    expect(client.server.revision).toBe("2026-07-28");
  });

  test("a command, whose program may die of the probe and is started again", async () => {
    const command = { command: process.execPath, args: [fragile, "a b", "c"], stderr: "ignore" } as const;
    const client = await openClient(command, { probeTimeout: 10_000 });
    expect(client.server).toMatchObject({ info: { name: "fragile" }, instructions: "a b|c" });
    await client.ping();
    await client.close();
  });

  test("a command line, which is not given to a shell", async () => {
    const line = `"${process.execPath}" "${fragile}" "a b" $HOME '*' ; exit`;
    const client = await openClient(line, { hint: { revision: "2025-11-25" } });
    expect(client.server.instructions).toBe("a b|$HOME|*|;|exit");
    await client.close();
  });

  test("not a program that does not exist", async () => {
    const error = await failure(connect({ command: "no-such-program-anywhere" }));
    expect(error).toMatchObject({ code: "process" });
  });

  test.each(["http://", "https://user:secret@localhost/mcp", new URL("ftp://localhost/mcp")])(
    "not the URL %s",
    async (url) => {
      const error = await failure(connect(url));
      expect(error).toBeInstanceOf(UsageError);
      expect(error.message).not.toContain("secret");
    },
  );

  test.each([undefined, null, 7, {}, []])("not %j", async (target) => {
    expect(await failure(connect(target as unknown as Target))).toBeInstanceOf(UsageError);
  });
});

test("a client that is given no name has that of the package, and its version", async () => {
  expect(packageVersion).toBe(packageJson.version);
  const server = discoverServer();
  await openClient(server);
  const [{ _meta }] = server.line.paramsOf("server/discover");
  expect(_meta["io.modelcontextprotocol/clientInfo"]).toEqual({ name: "allspeak", version: packageVersion });
});
