// A server behind OAuth: who gets in, what each may do, what is refused, and what the audit log has of it:
//   node scripts/run.js examples/secured/main.ts
import assert from "node:assert/strict";
import { bearer, staticToken } from "allspeak/auth";
import { serveDevAuth } from "allspeak/auth/dev";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { auditLog, server } from "./server.ts";

// An authorization server for development. With a real one, only the issuer changes.
const login = await serveDevAuth({
  users: [{ subject: "ada" }, { subject: "bob" }],
  scopes: ["orders:read", "orders:write"],
  log: () => {},
});
const auth = bearer({
  issuer: login.issuer,
  scopes: ["orders:read"],
  optionalScopes: ["orders:write"],
});
const running = await serveHttp(server, { auth });

async function openAs(subject: string, ...scopes: string[]) {
  const token = await login.issueToken({ resource: running.url, subject, scopes });
  return connect(running.url, { auth: staticToken(token) });
}

console.log("Without a token, and with a token for another server:");
const elsewhere = await login.issueToken({ resource: "https://other.example", scopes: ["orders:read"] });
for (const headers of [{}, { authorization: `Bearer ${elsewhere}` }]) {
  const { status } = await fetch(running.url, { method: "POST", headers });
  console.log(`  ${status}`);
  assert.equal(status, 401);
}

console.log("Ada may write, Bob may only read, and neither sees the orders of the other:");
const ada = await openAs("ada", "orders:read", "orders:write");
const bob = await openAs("bob", "orders:read");
await ada.tools.call("add-order", { what: "tea" });
const [ofAda, ofBob] = await Promise.all([ada.tools.call("list-orders"), bob.tools.call("list-orders")]);
console.log("  Ada:", ofAda.content, "Bob:", ofBob.content);
assert.deepEqual(ofAda.content, [{ type: "text", text: "tea" }]);
assert.deepEqual(ofBob.content, [{ type: "text", text: "none" }]);
await assert.rejects(bob.tools.call("add-order", { what: "cake" }), { code: "insufficient-scope" });

console.log("The fourth order within a minute is too much:");
for (const what of ["milk", "sugar"]) await ada.tools.call("add-order", { what });
await assert.rejects(ada.tools.call("add-order", { what: "honey" }), (error: Error) => {
  console.log(`  ${error.message}`);
  return true;
});

const orders = auditLog.filter(({ target }) => target === "add-order");
const lines = orders.map(({ principal, outcome }) => `${principal?.subject}: ${outcome}`);
console.log("The audit log:", lines);
assert.deepEqual(lines, ["ada: ok", "bob: error", "ada: ok", "ada: ok", "ada: refused"]);

await Promise.all([ada.close(), bob.close()]);
await running.close();
await login.close();
console.log("All as expected.");
