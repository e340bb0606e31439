import { once } from "node:events";
import { PassThrough } from "node:stream";
import { serveInspector } from "allspeak/inspector";
import { serveHttp } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../../src/cli/main.ts";
import { Page, tokenOf } from "../support/page.ts";
import { createDemoServer } from "../support/server.ts";

test("serveHttp puts an inspector beside a server, on a port of its own, and closes it with the server", async () => {
  const running = await serveHttp(createDemoServer(), { inspector: true });
  const url = running.inspectorUrl ?? "";
  expect(new URL(url)).toMatchObject({ hostname: "127.0.0.1" });
  expect(new URL(url).port).not.toBe(String(running.port));

  const page = await Page.connect(url);
  const { offered } = await page.send("open-session", { token: tokenOf(url) });
  expect(offered).toEqual([{ name: "demo", title: "demo", url: running.url, isFirst: true }]);
  const { connection } = await page.send("connect", { target: { kind: "offered", name: "demo" } });
  expect(connection).toMatchObject({ state: "open", transport: "streamable-http" });
  await running.close();
  await page.closed;
});

test("a server that listens on all addresses is offered under one that it answers to", async () => {
  const running = await serveHttp(createDemoServer(), {
    host: "0.0.0.0",
    allowedHosts: ["127.0.0.1"],
    inspector: true,
  });
  onTestFinished(() => running.close());
  const page = await Page.connect(running.inspectorUrl ?? "");
  await page.send("open-session", { token: tokenOf(running.inspectorUrl ?? "") });
  const { connection } = await page.send("connect", { target: { kind: "offered", name: "demo" } });
  expect(connection).toMatchObject({ state: "open" });
});

test("a port that another program has is told as that of a server is", async () => {
  const running = await serveHttp(createDemoServer());
  onTestFinished(() => running.close());
  await expect(serveInspector({ port: running.port })).rejects.toMatchObject({
    code: "usage",
    message: `Can't listen on 127.0.0.1:${running.port}: another program listens there; close it, or choose another port.`,
  });
});

test("without the option there is none", async () => {
  const running = await serveHttp(createDemoServer());
  onTestFinished(() => running.close());
  expect(running.inspectorUrl).toBeUndefined();
});

test("`allspeak inspect` shows the address of a page that offers the server, until it is ended", async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const streams = { stdin, stdout, stderr, env: {}, cwd: import.meta.dirname, signal: stop.signal };
  const ended = runCommand(["inspect", "everything", "--json"], streams);
  const [line] = await once(stdout, "data");
  const { url } = JSON.parse(String(line));
  const page = await Page.connect(url);
  const { offered } = await page.send("open-session", { token: tokenOf(url) });
  expect(offered).toEqual([{ name: "everything", title: "everything", isFirst: true }]);
  stop.abort();
  expect(await ended).toBe(0);
  await page.closed;
});
