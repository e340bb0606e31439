import { once } from "node:events";
import { createServer as createNodeServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { verbTable } from "../../src/cli/verb-table.ts";
import { runCommand } from "./support/run-command.ts";

describe("help", () => {
  test("lists all verbs", async () => {
    const { code, stdout } = await runCommand(["--help"]);
    for (const { name, summary } of verbTable)
      expect(stdout).toMatch(new RegExp(`\\n  ${name} +${summary}\\n`));
    expect(code).toBe(0);
  });

  test.each(verbTable.map(({ name }) => name))("%s explains itself, with examples", async (name) => {
    const { code, stdout } = await runCommand([name, "--help"]);
    expect(stdout).toContain(`Usage: allspeak ${name}`);
    expect(stdout).toMatch(/\nExamples:\n {2}(?:\S.* )?allspeak /);
    expect(stdout).toContain("--no-color");
    expect(code).toBe(0);
  });

  test("help <verb> is the same as <verb> --help", async () => {
    expect(await runCommand(["help", "call"])).toEqual(await runCommand(["call", "--help"]));
  });

  test("the version is that of the package", async () => {
    expect((await runCommand(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("a command line that can't be used", () => {
  test.each([
    [[], ""],
    [["lst"], 'There is no verb "lst"; did you mean "list"?'],
    [["list"], "list needs <target>"],
    [["list", "everything", "tools", "extra"], 'takes no further argument, such as "extra"'],
    [["list", "everything", "--jsom"], 'There is no option --jsom; did you mean "--json"?'],
    [["list", "everything", "--timeout", "soon"], "--timeout takes a number"],
    [["list", "everything", "--timeout"], "--timeout needs a value"],
    [["list", "everything", "--log", "loud"], "--log is one of debug"],
    [["list", "everything", "--json=yes"], "--json takes no value"],
    [["list", "./missing.mjs"], "There is no file ./missing.mjs"],
    [["serve", "../../../package.json"], "is not a TypeScript or JavaScript file"],
    [["list", "../fixtures"], "is a folder"],
    [["list", "."], "is a folder"],
    [["list", "./hosts.json"], "./hosts.json is not a program.\nServers are searched in"],
    [["list", "./hosts.json"], "--config FILE names another file"],
    [["list", "127.0.0.1:3000/mcp"], "A URL begins with http:// or https://: http://127.0.0.1:3000/mcp"],
    [["list", "localhost:3000"], "A URL begins with http:// or https://: http://localhost:3000"],
    [["types", "./shop.mjs", "--out", "missing/shop.ts"], "shop.ts can't be written: ENOENT"],
    [["serve", "./shop.mjs", "--http", ":0", "--state", "what:ever"], "error: --state takes redis://"],
    [["inspect", "./nope.ts"], "There is no file ./nope.ts"],
    [["serve", "./shop.mjs", "--http", "0.0.0.0:0"], "--public-url https://…, or --allow-host NAME"],
    [["list", "../fixtures"], ".mcp.json, mcp.json, .cursor/mcp.json"],
    [["list", "./support.ts", "--header", "nonsense"], "There is no file"],
    [["bench", "everything", "-n", "1.5"], '-n takes a whole number from 1 to 10,000,000, not "1.5".'],
    [["bench", "everything", "-c", "1e9"], '-c takes a whole number from 1 to 10,000, not "1e9".'],
    [["subscribe", "everything", "-n", "0"], "-n takes a whole number from 1"],
    [["inspect", "--port", "99999"], "--port takes a whole number from 0 to 65,535"],
    [
      ["serve", "./shop.mjs", "--http", ":0", "--workers", "0"],
      "--workers takes a whole number from 1 to 1,024",
    ],
    [["list", "http://[bad"], '"http://[bad" is not the URL of a server.'],
    [["list", "ftp://example.com/mcp"], "with http, https, ws or wss at its start"],
    [["list", "--config", "."], "illegal operation on a directory (EISDIR)"],
    [["new", "./shop.mjs/project"], "shop.mjs/project can't be used: not a directory (ENOTDIR)."],
    [
      ["call", "everything", "test_image_content", "--out", "shop.mjs"],
      "shop.mjs can't be used: file already exists",
    ],
    [["types", "./shop.mjs", "--json"], "There is no option --json"],
    [["serve", "./shop.mjs", "--path", "/x"], "--path is for --http."],
    [["everything", "--allow-origin", "https://a.example"], "Add --http :3000, or leave out --allow-origin."],
    [["gateway", "hosts.json", "--public-url", "https://a.example"], "--public-url is for --http."],
    [["bridge", "everything", "--http", "many"], "--http takes a port"],
    [["serve", "./shop.mjs", "--state", "sqlite:x.db"], "--state is for --http"],
    [["serve", "./shop.mjs", "--workers", "2"], "--workers is for --http"],
  ])("%j ends with 2 and says why", async (line, message) => {
    const { code, stderr } = await runCommand(line);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(code).toBe(2);
  });
});

describe("serve --state", () => {
  /** Options whose port is taken, so that nothing is served. */
  async function takenPort() {
    const taken = createNodeServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    return ["--http", `:${port}`, "--state", "postgres://127.0.0.1:1/none"];
  }

  test("says nothing of keys if the server has secrets", async () => {
    const { stderr } = await runCommand(["serve", "./sealed.mjs", ...(await takenPort())]);
    expect(stderr).toContain("another program listens there");
    expect(stderr).not.toContain("ALLSPEAK_STATE_KEYS");
  });

  test("advises the same keys for all processes", async () => {
    const { stderr } = await runCommand(["serve", "./shop.mjs", ...(await takenPort())]);
    expect(stderr).toContain("set\nALLSPEAK_STATE_KEYS");
  });
});

describe("a server that can't be reached", () => {
  test("inspect ends with 3, and says how to wait for one that starts later", async () => {
    const { code, stdout, stderr } = await runCommand(["inspect", "http://127.0.0.1:9/mcp"]);
    expect(stderr).toContain("Nothing answers at http://127.0.0.1:9/mcp");
    expect(stderr).toContain(
      "For one that starts later: allspeak inspect, and give its address on the page.",
    );
    expect(stdout).toBe("");
    expect(code).toBe(3);
  });

  test("a program that does not exist ends with 3", async () => {
    const { code, stderr } = await runCommand(["list", "no-such-program --flag"]);
    expect(stderr).toContain("no-such-program");
    expect(code).toBe(3);
  });

  test("a name that no file and no program has ends with 3, and tells the files", async () => {
    const { code, stderr } = await runCommand(["list", "no-such-server"]);
    expect(stderr).toContain('There is no server and no program "no-such-server".');
    expect(stderr).toContain(".mcp.json, mcp.json, .cursor/mcp.json");
    expect(code).toBe(3);
  });

  test("a port where nobody listens ends with 3", async () => {
    const closed = createNodeServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const { code, stderr } = await runCommand(["list", `http://127.0.0.1:${port}/mcp`]);
    expect(stderr).toContain(`error: Can't reach http://127.0.0.1:${port}/mcp`);
    expect(code).toBe(3);
  });

  test("a server that does not answer in time ends with 7", async () => {
    const silent = createNodeServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close().closeAllConnections());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
    expect((await runCommand(["list", url, "--timeout", "0.3"])).code).toBe(7);
  });

  test.each(["list", "bridge"])("%s is interrupted while it connects", async (verb) => {
    const interruption = new AbortController();
    const silent = `"${process.execPath}" -e "process.stdin.once('data', () => console.error('was asked'))"`;
    const { code } = await runCommand([verb, silent, "--debug"], {
      signal: interruption.signal,
      onNote: (text) => text.includes("was asked") && interruption.abort(),
    });
    expect(code).toBe(130);
  });
});

test("--json is an option of the verbs that write JSON, and of no other", async () => {
  const rows = await Promise.all(verbTable.map(async ({ name, load }) => ({ name, ...(await load()) })));
  const others = rows.filter(({ options }) => !("json" in options)).map(({ name }) => name);
  expect(others).toEqual(["logout", "install", "uninstall", "types", "new", "completion"]);
});

describe("errors", () => {
  test("have no stack trace unless --debug asks for it", async () => {
    const { stderr } = await runCommand(["list", "no-such-program", "--debug"]);
    expect(stderr).toMatch(/\n {4}at /);
  });

  test("are JSON on standard error with --json", async () => {
    const { stderr, stdout } = await runCommand(["list", "no-such-program --flag", "--json"]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "process", exitCode: 3 } });
    expect(stdout).toBe("");
  });
});

describe("a module", () => {
  test.each([
    ["./no-server.mjs", "does not export a server value"],
    ["./two-servers.mjs", "exports several servers: first, second"],
  ])("%s is refused with what to do", async (path, message) => {
    const { code, stderr } = await runCommand(["list", path]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test("is asked for one of its servers with --export", async () => {
    const { stdout } = await runCommand(["list", "./two-servers.mjs", "--export", "second", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ server: { info: { name: "second" } } });
    const none = await runCommand(["list", "everything", "--export", "second"]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--export is for modules")]);
  });

  test("prints to standard error, also while it is loaded, so that the output is the command's", async () => {
    const called = await runCommand(["call", "./printing.mjs", "print", "--json"]);
    expect(JSON.parse(called.stdout)).toMatchObject({ content: [{ text: "printed" }] });
    expect(called.stderr).toBe("loading\ncalled\n");
  });

  test("can be chosen from by every verb that takes a target", async () => {
    for (const { name, load } of verbTable) {
      const verb = await load();
      const isModule = verb.arguments.some(({ description }) =>
        /\bmodule\b|exports a server/.test(description),
      );
      expect(["export" in verb.options, name]).toEqual([isModule, name]);
    }
  });
});
