import { createOAuthProxy } from "allspeak/auth";
import { expect, it } from "vitest";

const publicUrl = "https://proxy.example";

/** Asks for a login in the name of a client that somebody has just registered. */
async function ask(redirectUri: string, wrong: Record<string, string>): Promise<Response> {
  const proxy = await createOAuthProxy({
    publicUrl,
    resource: "https://mcp.example/mcp",
    upstream: { issuer: "https://login.example", clientId: "proxy" },
    admit: () => true,
  });
  const client = { redirect_uris: [redirectUri], token_endpoint_auth_method: "none" };
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(client);
  const registered = await proxy.fetch(
    new Request(`${publicUrl}/register`, { method: "POST", headers, body }),
  );
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    code_challenge: "a".repeat(43),
    code_challenge_method: "S256",
    ...wrong,
  });
  return proxy.fetch(new Request(`${publicUrl}/authorize?${query}`));
}

const wrong = [
  { scope: "nope" },
  { prompt: "none" },
  { response_type: "token" },
  { resource: "https://other.example" },
  { code_challenge_method: "plain" },
];

it.each(wrong)("an invalid request (%j) does not redirect to a site by itself", async (one) => {
  const answer = await ask("https://evil.example/cb", one);
  expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  const page = await answer.text();
  expect(page).toContain("evil.example</a>");
  expect(page).toContain("https://evil.example/cb?error=");
});

it.each([
  ["com.example.app:/cb", "com.example.app:"],
  ["vscode://publisher.extension/cb", "publisher.extension"],
])("an invalid request does not start the program behind %s by itself", async (redirectUri, shown) => {
  const answer = await ask(redirectUri, { scope: "nope" });
  expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  const page = await answer.text();
  expect(page).toContain(`${shown}</a>`);
  expect(page).toContain("error=invalid_scope");
});

it("a program that listens on this device is told at once", async () => {
  const answer = await ask("http://127.0.0.1:5000/cb", { scope: "nope" });
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toContain("error=invalid_scope");
});
