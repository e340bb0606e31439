import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { openPage, Page } from "../support/page.ts";

const program = fileURLToPath(new URL("../fixtures/leaves-a-trace.mjs", import.meta.url));

describe("programs", () => {
  test("a program is shown whole, and does not run before the person agrees", async () => {
    const cwd = createTemporaryFolder();
    const trace = join(cwd, "trace");
    const { page } = await openPage({ cwd });
    const target = {
      kind: "command",
      command: process.execPath,
      args: [program, trace],
      env: { KEY: "value" },
    } as const;

    const refused = page.send("connect", { target }).catch((error: Error) => error);
    const { question } = await page.next("question");
    expect(question).toMatchObject({
      kind: "run",
      run: { kind: "command", command: process.execPath, args: [program, trace], env: { KEY: "value" }, cwd },
    });
    await page.send("answer", { question: question.id, answer: { kind: "decide", isAllowed: false } });
    expect(await refused).toMatchObject({ failure: { code: "declined" } });
    expect(existsSync(trace)).toBe(false);

    const allowed = page.send("connect", { target });
    const again = await page.next("question");
    await page.send("answer", { question: again.question.id, answer: { kind: "decide", isAllowed: true } });
    expect(await allowed).toMatchObject({ connection: { state: "open", transport: "stdio" } });
    expect(existsSync(trace)).toBe(true);
    // The same program is agreed to; it is not asked about again.
    expect(await page.send("connect", { target })).toMatchObject({ connection: { state: "open" } });
  });

  test("a server of a host's file is shown without its secrets, and asked about before it runs", async () => {
    const cwd = createTemporaryFolder();
    const servers = {
      traced: {
        command: process.execPath,
        args: [program, join(cwd, "trace")],
        env: { API_KEY: "hidden-value" },
      },
      remote: {
        url: "https://example.com/%ff?token=hidden-value",
        headers: { Authorization: "Bearer hidden-value" },
      },
    };
    writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
    const { page } = await openPage({ cwd });
    const { files } = await page.send("list-configured", {});
    expect(files.map(({ host }) => host)).toEqual(["this folder"]);
    expect(files[0]?.servers).toMatchObject([
      { name: "traced", entry: { command: process.execPath, envNames: ["API_KEY"] } },
      { name: "remote", entry: { headerNames: ["Authorization"] } },
    ]);
    expect(JSON.stringify(files)).not.toContain("hidden-value");

    const file = join(cwd, ".mcp.json");
    const connecting = page.send("connect", { target: { kind: "configured", file, name: "traced" } });
    const { question } = await page.next("question");
    expect(question).toMatchObject({ kind: "run", run: { file, env: { API_KEY: "hidden-value" } } });
    await page.send("answer", { question: question.id, answer: { kind: "decide", isAllowed: true } });
    expect(await connecting).toMatchObject({ connection: { state: "open" } });
  });

  test("a server of a host's file gets no variable of this machine before the person agrees", async () => {
    const reached: string[] = [];
    const http = createServer(({ url = "", headers }, response) => {
      reached.push(`${url} ${headers["x-trace"]}`);
      response.writeHead(404).end();
    });
    await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void http.close());
    const cwd = createTemporaryFolder();
    const file = join(cwd, ".mcp.json");
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/\${env:KEY}`;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file
    const headers = { "x-trace": "${env:KEY}", "x-fixed": "hidden-value" };
    writeFileSync(file, JSON.stringify({ mcpServers: { docs: { url, headers } } }));
    const { page } = await openPage({ cwd, env: { KEY: "secret" } });
    const target = { kind: "configured", file, name: "docs" } as const;

    const refused = page.send("connect", { target }).catch((error: Error) => error);
    const { question } = await page.next("question");
    expect(question).toMatchObject({ kind: "run", run: { kind: "url", url, file } });
    expect(JSON.stringify(question)).not.toMatch(/hidden-value|secret/);
    await page.send("answer", { question: question.id, answer: { kind: "decide", isAllowed: false } });
    expect(await refused).toMatchObject({ failure: { code: "declined" } });
    expect(reached).toEqual([]);

    const allowed = page.send("connect", { target }).catch((error: Error) => error);
    const again = await page.next("question");
    await page.send("answer", { question: again.question.id, answer: { kind: "decide", isAllowed: true } });
    await allowed;
    expect(reached[0]).toBe("/secret secret");
  });

  test("files that belong to no host are not read", async () => {
    const cwd = createTemporaryFolder();
    mkdirSync(join(cwd, "deep"));
    writeFileSync(join(cwd, "deep", "mcp.json"), '{"mcpServers":{"x":{"command":"true"}}}');
    const { page } = await openPage({ cwd });
    const target = { kind: "configured", file: join(cwd, "deep", "mcp.json"), name: "x" } as const;
    await expect(page.send("connect", { target })).rejects.toThrow("is not a file of a host here");
  });

  test("a page that is closed gives up what it asked for, and its programs do not start", async () => {
    const cwd = createTemporaryFolder();
    const trace = join(cwd, "trace");
    const { page, session, url } = await openPage({ cwd });
    const target = { kind: "command", command: process.execPath, args: [program, trace] } as const;
    void page.send("connect", { target }).catch(() => {});
    await page.next("question");
    page.close();
    await page.closed;
    const later = await Page.connect(url);
    const { questions, connections } = await later.send("open-session", { secret: session.secret });
    expect(questions).toEqual([]);
    expect(connections).toMatchObject([{ state: "failed" }]);
    expect(existsSync(trace)).toBe(false);
  });
});
