// A client that logs in to any server, stores its tokens, and prints the steps:
//   node scripts/run.js examples/login/main.ts https://example.com/mcp
//   node scripts/run.js examples/login/main.ts --device https://example.com/mcp
// Without a URL it logs in to a server of its own, which approves the login automatically.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, tool } from "allspeak";
import { bearer, deviceCode, type OAuthOptions, oauth } from "allspeak/auth";
import { serveDevAuth } from "allspeak/auth/dev";
import { AuthorizationError, connect } from "allspeak/client";
import { fileCredentialStore, loopbackLogin, serveHttp } from "allspeak/node";

const urls = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const byDevice = process.argv.includes("--device");
const [serverUrl] = urls;

/** Logs in and lists the tools of the server. */
async function listTools(url: string, options: OAuthOptions): Promise<string[]> {
  const auth = oauth(options);
  try {
    const client = await connect(url, { auth });
    const tools = await client.tools.list().all();
    await client.close();
    return tools.map(({ name }) => name);
  } catch (error) {
    if (error instanceof AuthorizationError) console.error(`${error.reason}: ${error.message}`);
    throw error;
  } finally {
    for (const { step, outcome, url, detail } of auth.explain())
      console.log(`  ${step}: ${outcome}`, url ?? "", detail ?? "");
  }
}

const store = await fileCredentialStore({ folder: join(tmpdir(), "allspeak-login") });
const device = deviceCode({
  show: ({ url, userCode }) => console.log(`Open ${url} and enter the code ${userCode}`),
});

if (serverUrl !== undefined) {
  console.log(await listTools(serverUrl, byDevice ? { store, grant: device } : { store }));
} else {
  const login = await serveDevAuth({ scopes: ["notes"], autoApprove: true, log: () => {} });
  const server = createServer({ name: "notes", version: "1.0.0", tools: [tool("read", {}, () => "…")] });
  const running = await serveHttp(server, { auth: bearer({ issuer: login.issuer, scopes: ["notes"] }) });
  let windows = 0;
  const browser = loopbackLogin({
    open: async (url) => {
      windows++;
      await fetch(url);
    },
  });
  console.log("the first time:");
  assert.deepEqual(await listTools(running.url, { store, login: browser }), ["read"]);
  console.log("the second time:");
  assert.deepEqual(await listTools(running.url, { store, login: browser }), ["read"]);
  assert.equal(windows, 1);
  await running.close();
  await login.close();
}
