import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { serveHttp } from "allspeak/node";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../package/paths.ts";
import { createFixture } from "../support/http/fixture.ts";
import { chromium } from "../support/runtimes/chromium.ts";
import { startProgram } from "../support/runtimes/runtime.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const entry = `${root}/test/runtimes/fixtures/page.mjs`;

describe.skipIf(chromium === undefined).each([
  ["esbuild", byEsbuild],
  ["Vite", byVite],
])("a page in Chromium, built by %s", (_, build) => {
  it("calls a server of another origin on every revision, and reads why a server refuses it", {
    timeout: 60_000,
  }, async () => {
    const page = await servePage(await build());
    const server = await serve({ allowedOrigins: [page.origin] });
    const refusing = await serve({});
    open(`${page.origin}/?${new URLSearchParams({ server, refusing })}`);
    expect(JSON.parse(await page.result)).toEqual({
      "2026-07-28": ["hello", 3],
      "2025-11-25": ["hello", 3],
      "2025-03-26": ["hello", 3],
      refused: expect.stringContaining(`Origin "${page.origin}" is not allowed; add it to allowedOrigins`),
    });
  });
});

async function serve(options: { readonly allowedOrigins?: readonly string[] }): Promise<string> {
  const running = await serveHttp(createFixture().server, options);
  onTestFinished(() => running.close(0));
  return running.url;
}

/** Serves a page with one script, and takes what the script posts as its result. */
async function servePage(
  script: string,
): Promise<{ readonly origin: string; readonly result: Promise<string> }> {
  let resolve: (result: string) => void = () => {};
  const result = new Promise<string>((settle) => {
    resolve = settle;
  });
  const http = createHttpServer((request, response) => {
    if (request.method === "POST") void text(request).then(resolve);
    const isScript = request.url === "/page.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((closed) => http.close(closed));
  });
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, result };
}

function open(url: string): void {
  const profile = createTemporaryFolder();
  const args = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, url];
  startProgram(chromium ?? "chromium", args);
}

async function byEsbuild(): Promise<string> {
  const { outputFiles } = await esbuild({
    entryPoints: [entry],
    bundle: true,
    platform: "browser",
    format: "esm",
    outdir: "out",
    tsconfigRaw: {},
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

async function byVite(): Promise<string> {
  const output = await vite({
    root,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      rolldownOptions: { input: entry, output: { codeSplitting: false } },
    },
  });
  const chunks = [output].flat().flatMap((one) => ("output" in one ? one.output : []));
  return chunks.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("\n");
}
