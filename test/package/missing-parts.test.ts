// A part that is loaded on demand may be gone: an update has replaced the package under a running process. Somebody who
// waits for the part gets an error; what nobody waits for is reported, and must not end the process.
import { spawnSync } from "node:child_process";
import { cpSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { root } from "./paths.ts";

/** Runs a program on a copy of the package that lacks a chunk, until it calls `restore`; the lines that it has written. */
function runWithout(chunk: string, program: string): readonly string[] {
  const folder = createTemporaryFolder();
  const filter = (path: string) => !/\.(?:map|d\.ts)$|\/dist\/(?:cli|inspector)\//.test(path);
  cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true, filter });
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const path = join(folder, "dist/chunks", `${chunk}.js`);
  renameSync(path, `${path}.away`);
  const source = `
    import { renameSync } from "node:fs";
    import { createServer, tool } from "allspeak";
    import { connect } from "allspeak/client";
    const restore = () => renameSync(${JSON.stringify(`${path}.away`)}, ${JSON.stringify(path)});
    const waiting = [];
    const lines = [];
    const write = (line) => {
      console.log(line);
      lines.push(line);
      for (const next of waiting.splice(0)) next();
    };
    /** Settles when so many lines were written. */
    const written = async (count) => {
      while (lines.length < count) await new Promise((resolve) => waiting.push(resolve));
    };
    const name = "parts";
    const version = "1.0.0";
    const echo = tool("echo", {}, () => "hello");
    const log = ({ message, cause }) => write(message + ": " + cause.code);
    const server = createServer({ name, version, tools: [echo], log });
    ${program}
  `;
  const args = ["--input-type=module", "--eval", source];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

test("a server reports a change that it can't send to many clients, and sends the next one", () => {
  const lines = runWithout(
    "event-fan-out",
    `
      const clients = [];
      for (let count = 0; count < 300; count++) clients.push(await connect(server, { revisions: ["2025-11-25"] }));
      clients[0].onChange(({ kind }) => write(kind));
      server.tool("second", {}, () => "");
      await written(1);
      restore();
      server.tool("third", {}, () => "");
      await written(2);
      for (const client of clients) await client.close();
    `,
  );
  expect(lines).toEqual(["Clients missed a change: ERR_MODULE_NOT_FOUND", "tools"]);
});

test("the wire log says that it can't show a message, and shows the next one", () => {
  const lines = runWithout(
    "wire-line",
    `
      const client = await connect(server, { debug: (line) => write(line.slice(0, 20)) });
      await written(1);
      restore();
      await client.tools.call("echo", {});
      await client.close();
    `,
  );
  expect(lines[0]).toBe("Can't show a message");
  expect(lines.at(-1)).not.toBe("Can't show a message");
});

test.each([
  [
    "a socket",
    `
      const path = join(process.cwd(), "s");
      const running = await serveSocket(server, { path, ping: { everyMs: 1_000 } });
      const client = await connect(socketTransport({ path }));
    `,
  ],
  [
    "HTTP",
    `
      const running = await serveHttp(server, { port: 0, ping: { everyMs: 1_000 } });
      const client = await connect(running.url, { revisions: ["2025-11-25"] });
    `,
  ],
])("a server reports that a client over %s gets no pings, and serves it", (_, serve) => {
  const lines = runWithout(
    "pings",
    `
      import { join } from "node:path";
      import { serveHttp, serveSocket, socketTransport } from "allspeak/node";
      ${serve}
      write((await client.tools.call("echo", {})).content[0].text);
      await written(2);
      await client.close();
      await running.close();
    `,
  );
  expect([...lines].sort()).toEqual(["The client gets no pings: ERR_MODULE_NOT_FOUND", "hello"]);
});

test.each(["shared-upstream", "upstream-changes", "running-calls"])(
  "a mounted client without %s reports it, and is used once that is back",
  (chunk) => {
    const lines = runWithout(
      chunk,
      `
        const client = await connect(server, { onProblem: ({ message }) => write(message.slice(0, 18)) });
        const host = createServer({ name: "host", version });
        host.mount("inner", client);
        await written(1);
        const user = await connect(host, { checkOutput: false });
        restore();
        write((await user.tools.call("inner_echo", {})).content[0].text);
        await user.close();
        await client.close();
      `,
    );
    expect(new Set(lines.slice(0, -1))).toEqual(new Set(["Cannot find module"]));
    expect(lines.at(-1)).toBe("hello");
  },
);

test("a handler for node:http answers 500 without its part, and serves once that is back", () => {
  const lines = runWithout(
    "serve-http",
    `
      import { createServer as createHttp } from "node:http";
      import { createNodeHandler } from "allspeak/node";
      const handler = createNodeHandler(server);
      const http = createHttp(handler);
      await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
      const url = "http://127.0.0.1:" + http.address().port + "/mcp";
      const response = await fetch(url, { method: "POST" });
      write(String(response.status));
      await response.text();
      restore();
      const client = await connect(url);
      write((await client.tools.call("echo", {})).content[0].text);
      await client.close();
      await handler.close(0);
      http.close();
      http.closeAllConnections();
    `,
  );
  const reported = "The HTTP server could not be loaded: ERR_MODULE_NOT_FOUND";
  expect(lines).toEqual([reported, reported, "500", "hello"]);
});

test("a handler under Express gives the error of a missing part to the error handler of the application", () => {
  const lines = runWithout(
    "serve-http",
    `
      import { createServer as createHttp } from "node:http";
      import express from "express";
      import { createNodeHandler } from "allspeak/node";
      const app = express();
      const handler = createNodeHandler(server);
      app.use(handler);
      app.use((error, request, response, next) => response.status(503).send(error.code));
      const http = app.listen(0, "127.0.0.1");
      await new Promise((resolve) => http.once("listening", resolve));
      const response = await fetch("http://127.0.0.1:" + http.address().port + "/mcp", { method: "POST" });
      write(response.status + " " + (await response.text()));
      http.close();
      http.closeAllConnections();
    `,
  );
  expect(lines).toEqual([
    "The HTTP server could not be loaded: ERR_MODULE_NOT_FOUND",
    "503 ERR_MODULE_NOT_FOUND",
  ]);
});
