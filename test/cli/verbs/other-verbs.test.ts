import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createServer } from "allspeak";
import { bearer } from "allspeak/auth";
import { serveDevAuth } from "allspeak/auth/dev";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { Browser, readPage } from "../../support/auth/browser.ts";
import { temporaryFolder } from "../support/program.ts";
import { runCommand } from "../support/run-command.ts";

describe("allspeak prompt", () => {
  test("shows the messages of a prompt", async () => {
    const line = ["prompt", "everything", "test_prompt_with_arguments", "arg1=a", "arg2=b"];
    const { code, stdout } = await runCommand(line);
    expect([code, stdout]).toEqual([0, "user:\nPrompt with arguments: arg1='a', arg2='b'\n"]);
  });

  test("names arguments that are missing", async () => {
    const { code, stderr } = await runCommand([
      "prompt",
      "everything",
      "test_prompt_with_arguments",
      "arg1=a",
    ]);
    expect(stderr).toContain("The prompt needs arg2");
    expect(code).toBe(2);
  });
});

describe("allspeak complete", () => {
  test("completes an argument of a prompt, and a variable of a template", async () => {
    const prompt = await runCommand(["complete", "everything", "test_prompt_with_arguments", "arg1=te"]);
    expect(prompt.stdout).toBe("testing\ntested\n");
    const template = await runCommand([
      "complete",
      "everything",
      "test://template/{id}/data",
      "id=12",
      "--json",
    ]);
    expect(JSON.parse(template.stdout)).toMatchObject({ values: ["123", "124"] });
  });
});

describe("allspeak subscribe", () => {
  test("shows a line for each change, and ends after as many as were asked for", async () => {
    const server = createServer({ name: "changing", version: "1.0.0" });
    server.resource("note:one", { name: "one" }, () => "text");
    const running = await serveHttp(server);
    onTestFinished(() => running.close());
    const announce = (text: string) => {
      if (text.includes("Watching")) void server.resources.updated("note:one");
      return text.includes("Watching");
    };
    const line = ["subscribe", running.url, "note:one", "-n", "1", "--json"];
    const ended = runCommand(line, { onNote: (text) => announce(text) });
    const { code, stdout } = await ended;
    expect([code, JSON.parse(stdout)]).toEqual([0, { kind: "resource", uri: "note:one" }]);
  });

  test("gives up after the time that it was given", async () => {
    const { code, stderr } = await runCommand(["subscribe", "everything", "-n", "1", "--timeout", "0.1"]);
    expect(stderr).toContain("No more changes within 0.1 s.");
    expect(code).toBe(7);
  });
});

describe("allspeak tasks", () => {
  test("refuses a task or an action that does not exist", async () => {
    const { code, stderr } = await runCommand(["tasks", "everything", "get", "nothing"]);
    expect(stderr).toContain("error:");
    expect(code).toBe(5);
    expect((await runCommand(["tasks", "everything", "forget", "x"])).stderr).toContain(
      "tasks can list, get, result, wait, cancel",
    );
    expect((await runCommand(["tasks", "everything", "wait"])).stderr).toContain("needs the id of a task");
  });
});

/** Somebody who opens the page of a device code, types the code, and agrees. */
async function agree(page: string, code: string): Promise<void> {
  const browser = new Browser();
  const { origin } = new URL(page);
  const form = await readPage(await browser.get(`${page.split("?")[0]}?user_code=${code}`), origin);
  await browser.submit(form, { decision: "allow", user: "alice" });
}

describe("credentials", () => {
  async function serveBehindLogin(options: Parameters<typeof serveDevAuth>[0] = {}) {
    const login = await serveDevAuth({
      users: [{ subject: "alice", name: "Alice" }],
      autoApprove: true,
      log: () => {},
      ...options,
    });
    const server = createServer({ name: "secret", version: "1.0.0" });
    server.tool("whisper", "Whispers", () => "psst");
    const running = await serveHttp(server, { auth: bearer({ issuer: login.issuer }) });
    onTestFinished(async () => {
      await running.close();
      await login.close();
    });
    return running.url;
  }

  // The person opens the page that is shown; the authorization server approves by itself.
  const onNote = (text: string) => {
    const page = /^ {2}(http\S+)$/m.exec(text)?.[1];
    if (page) void fetch(page);
    return page !== undefined;
  };

  test("a login is stored, used, shown and forgotten", async () => {
    const url = await serveBehindLogin();
    const env = { ALLSPEAK_HOME: temporaryFolder() };
    const refused = await runCommand(["call", url, "whisper"], { env });
    expect(refused.stderr).toContain(`allspeak login ${url}`);
    expect(refused.code).toBe(4);

    const login = await runCommand(["login", url], { env, onNote });
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining("you are logged in")]);
    expect((await runCommand(["call", url, "whisper"], { env })).stdout).toBe("psst\n");
    expect((await runCommand(["whoami", url], { env })).stdout).toContain("alice");

    expect((await runCommand(["logout", url], { env })).stdout).toContain("are forgotten.");
    expect((await runCommand(["logout", url], { env })).stdout).toContain("There were no tokens for http");
    expect((await runCommand(["call", url, "whisper"], { env })).code).toBe(4);
  });

  test("--device shows a code for another device, and the login is used later", async () => {
    const url = await serveBehindLogin({ deviceIntervalSeconds: 0.001, autoApprove: false });
    const env = { ALLSPEAK_HOME: temporaryFolder() };
    // The person types the code on another device, and agrees there.
    const onNote = (text: string) => {
      const [, code, page] = /enter the code (\S+):\s+(http\S+)/.exec(text) ?? [];
      if (page) void agree(page, code ?? "");
      return page !== undefined;
    };
    const login = await runCommand(["login", url, "--device"], { env, onNote });
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining("you are logged in")]);
    expect((await runCommand(["call", url, "whisper"], { env })).stdout).toBe("psst\n");
  });

  test("where no client can be registered, the id of one is asked for, and taken", async () => {
    const url = await serveBehindLogin({
      registration: false,
      clients: [{ client_id: "by-hand", redirect_uris: ["http://127.0.0.1/callback"] }],
    });
    const env = { ALLSPEAK_HOME: temporaryFolder() };
    const refused = await runCommand(["login", url], { env });
    expect(refused.stderr).toContain("register a client there, and give its id with --client-id.");
    expect(refused.code).toBe(4);
    const login = await runCommand(["login", url, "--client-id", "by-hand"], { env, onNote });
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining("you are logged in")]);
    expect((await runCommand(["call", url, "whisper"], { env })).stdout).toBe("psst\n");
  });

  const byHand = { clients: [{ client_id: "by-hand", redirect_uris: ["http://127.0.0.1/callback"] }] };

  test("a client that was named once stays in use when the user logs in again", async () => {
    const url = await serveBehindLogin({ registration: false, ...byHand });
    const env = { ALLSPEAK_HOME: temporaryFolder() };
    await runCommand(["login", url, "--client-id", "by-hand"], { env, onNote });
    const again = await runCommand(["login", url], { env, onNote });
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("you were logged in already")]);
    expect((await runCommand(["call", url, "whisper"], { env })).stdout).toBe("psst\n");
  });

  test("the tokens of a client are forgotten once the user logs in as another one", async () => {
    const url = await serveBehindLogin(byHand);
    const env = { ALLSPEAK_HOME: temporaryFolder() };
    const login = async (...options: string[]) =>
      (await runCommand(["login", url, ...options], { env, onNote })).stdout;
    expect(await login()).toContain("you are logged in");
    expect(await login("--client-id", "by-hand")).toContain("you are logged in");
    expect((await runCommand(["logout", url], { env })).stdout).toContain("are forgotten.");
    expect((await runCommand(["call", url, "whisper"], { env })).code).toBe(4);
    expect(await login()).toContain("you are logged in");
  });

  test("a header of the user's own is sent instead", async () => {
    const url = await serveBehindLogin();
    const { code } = await runCommand(["list", url, "--header", "Authorization: Bearer wrong"]);
    expect(code).toBe(4);
  });
});

describe("a server of a host's file", () => {
  const entry = { command: process.execPath, args: ["server.mjs", "one"] };

  async function createProject() {
    const cwd = temporaryFolder();
    const write = (args: readonly string[]) =>
      writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { mine: { ...entry, args } } }));
    await writeFile(join(cwd, "server.mjs"), "process.exit(3);");
    await write(entry.args);
    return { cwd, write, env: { ALLSPEAK_HOME: temporaryFolder() } };
  }

  test("is shown whole, and started only after a yes", async () => {
    const { cwd, env, write } = await createProject();
    const first = await runCommand(["list", "mine"], { cwd, env });
    expect(first.stderr).toContain("server.mjs one");
    expect(first.code).toBe(6);
    expect((await runCommand(["list", "mine", "--yes"], { cwd, env })).code).toBe(3);
    expect((await runCommand(["list", "mine"], { cwd, env })).code).toBe(3);
    await write(["server.mjs", "two"]);
    const changed = await runCommand(["list", "mine"], { cwd, env });
    expect(changed.stderr).toContain("has changed since you agreed to it");
    expect(changed.code).toBe(6);
  });

  test("a name that the file lacks is refused with those that it has", async () => {
    const { cwd, env } = await createProject();
    const { code, stderr } = await runCommand(["list", "mint", "--config", ".mcp.json"], { cwd, env });
    expect(stderr).toContain('has no server "mint"; did you mean "mine"?');
    expect(code).toBe(2);
  });
});
