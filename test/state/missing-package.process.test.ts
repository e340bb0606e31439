import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

const packages = [
  ["redis", "redis://localhost", "npm install ioredis (or npm install redis)"],
  ["postgres", "postgres://localhost/test", "npm install pg"],
  ["nats", "nats://localhost", "npm install @nats-io/transport-node"],
] as const;

it.each(packages)(
  "a program that uses %s without its package is told to install it",
  async (name, url, command) => {
    const folder = createTemporaryFolder();
    cpSync(dist, folder, { recursive: true });
    const source = `
    import { ${name} } from "${pathToFileURL(join(folder, `state-${name}.js`)).href}";
    const { values } = ${name}("${url}");
    await values.get("key").catch(({ code, message }) => console.log(code, message));
  `;
    const args = ["--input-type=module", "--eval", source];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    expect(stdout).toMatch(/^usage /);
    expect(stdout).toContain(command);
  },
);

it.each(packages)("a server does not start with %s without its package", async (name, url, command) => {
  const folder = createTemporaryFolder();
  cpSync(dist, folder, { recursive: true });
  const at = (file: string) => JSON.stringify(pathToFileURL(join(folder, file)).href);
  const source = `
    import { createServer } from ${at("index.js")};
    import { serveHttp } from ${at("node.js")};
    import { ${name} } from ${at(`state-${name}.js`)};
    const server = createServer({ name: "s", version: "1" });
    const state = ${name}("${url}");
    await serveHttp(server, { state }).catch(({ code, message }) => console.log(code, message));
    await state.close();
  `;
  const args = ["--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(stdout).toMatch(/^usage /);
  expect(stdout).toContain(command);
});
