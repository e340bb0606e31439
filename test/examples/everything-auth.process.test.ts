import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { oauth, staticToken } from "allspeak/auth";
import { type Client, connect } from "allspeak/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Browser, readPage } from "../support/auth/browser.ts";

const program = fileURLToPath(new URL("../../build/examples/everything/main.js", import.meta.url));

let server: ChildProcess;
let url = "";
let token = "";
const clients: Client[] = [];

beforeAll(async () => {
  server = spawn(process.execPath, [program, "--auth"], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    url ||= /Serving on (\S+)/.exec(line)?.[1] ?? "";
    token = /Bearer (\S+)/.exec(line)?.[1] ?? "";
    if (token !== "") break;
  }
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
});

async function keep(client: Promise<Client>): Promise<Client> {
  const opened = await client;
  clients.push(opened);
  return opened;
}

test("nobody gets in without a login", async () => {
  const response = await fetch(url, { method: "POST", body: "{}" });
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toMatch(/^Bearer .*resource_metadata=/);
});

test("a client finds the login by itself, and its user agrees", async () => {
  const asked: string[] = [];
  const redirectUri = "http://127.0.0.1:5999/callback";
  const auth = oauth({
    redirectUri,
    authorize: async (address) => {
      const browser = new Browser();
      const page = await readPage(await browser.get(address), address.origin);
      asked.push(page.text);
      const answer = await browser.submit(page, { decision: "allow", user: "bob" });
      return answer.headers.get("location") ?? "";
    },
  });
  const client = await keep(connect(url, { auth }));
  expect((await client.tools.list().all()).length).toBeGreaterThan(5);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain(redirectUri);
});

test("the token that is shown lets in, too", async () => {
  const client = await keep(connect(url, { auth: staticToken(token) }));
  expect((await client.tools.list().all()).length).toBeGreaterThan(5);
});
