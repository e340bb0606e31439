// A client that logs in to any server, keeps what it got, and says what it did:
//   node scripts/run.js examples/login/main.ts https://example.com/mcp
//   node scripts/run.js examples/login/main.ts --device https://example.com/mcp
// Without an address it logs in to a server of its own, where nobody has to type anything.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, tool } from "allspeak";
import { bearer, deviceCode, type OAuthOptions, oauth } from "allspeak/auth";
import { serveDevAuth } from "allspeak/auth/dev";
import { AuthorizationError, connect } from "allspeak/client";
import { fileCredentialStore, loopbackLogin, serveHttp } from "allspeak/node";

const addresses = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const byDevice = process.argv.includes("--device");
const [address] = addresses;

/** Logs in, and names the tools that there are. */
async function visit(url: string, options: OAuthOptions): Promise<string[]> {
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
  show: ({ url, userCode }) => console.log(`Go to ${url} and type ${userCode}`),
});

if (address !== undefined) {
  console.log(await visit(address, byDevice ? { store, grant: device } : { store }));
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
  assert.deepEqual(await visit(running.url, { store, login: browser }), ["read"]);
  console.log("the second time:");
  assert.deepEqual(await visit(running.url, { store, login: browser }), ["read"]);
  assert.equal(windows, 1);
  await running.close();
  await login.close();
}
