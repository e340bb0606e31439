// What a recording masks, and what stays readable.

import { MessageChannel } from "node:worker_threads";
import type { JsonObject } from "allspeak";
import { connect, portTransport } from "allspeak/client";
import { record } from "allspeak/testing";
import { describe, expect, test } from "vitest";

const secret = "SUPERSECRETVALUE123";

/** The arguments of a call, as a recording keeps them. */
function recorded(args: object): string {
  const recording = record();
  recording.onMessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", args } }, "sent");
  const message = recording.transcript.entries[0]?.message as JsonObject;
  return JSON.stringify((message.params as JsonObject).args);
}

describe("a recording masks", () => {
  const names =
    "password api_key x-functions-key ocp-apim-subscription-key x-auth x-auth-key auth pwd pass passcode otp sig sid " +
    "dpop assertion client_assertion x-goog-iap-jwt-assertion code_verifier GITHUB_PAT OPENAI_KEY openaiKey key " +
    "access_tokens jwt sessionId code credentials dbPass";
  test.each(names.split(" "))("the value of %s, as a member, in a pair, and in a text", (name) => {
    const shown = recorded({
      member: { [name]: secret },
      pair: { name, value: secret },
      headers: [[name, secret]],
      query: `https://example.com/?${name}=${secret}&page=2`,
      nestedQuery: `to=https%3A%2F%2Fexample.com%3F${name}%3D${secret}%26page%3D2`,
      line: `${name}: ${secret}`,
      json: JSON.stringify({ [name]: secret }),
    });
    expect(shown).not.toContain(secret);
    expect(shown).toContain("page=2");
    expect(shown).toContain("page%3D2");
  });

  test.each<[string, object]>([
    ["below a secret name", { password: { value: secret, list: [[secret], { deep: secret }] } }],
    ["in JSON inside a text", { text: JSON.stringify({ token: { access: secret } }) }],
    ["up to the closing quote", { text: `say "password": "a ${secret} \\" ${secret}", then go` }],
    ["in escaped JSON that is cut", { text: `{\\"password\\":\\"a ${secret}\\"` }],
    ["in every cookie", { text: `cookie: a=${secret}; b=${secret}` }],
    ["in Digest", { text: `Authorization: Digest username="a", response="${secret}"` }],
    ["after a scheme of its own", { text: `authorization: token ${secret}` }],
    ["in a form", { text: `code=${secret}&client_secret=${secret}&code_verifier=${secret}` }],
    ["in a name with escapes", { text: `p%61ssword=${secret} access%5Ftoken=${secret}` }],
    ["in keys of services", { text: `ghp_${secret} github_pat_${secret} sk-proj-${secret} xoxb-${secret}` }],
    ["in PEM", { text: `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----` }],
  ])("secrets %s", (_, args) => {
    expect(recorded(args)).not.toContain(secret);
  });

  test("numbers", () => {
    expect(recorded({ pin: 123456, password: { value: 123456 }, text: '{"pin":123456}' })).not.toContain(
      "123456",
    );
  });

  test("secrets in time that grows with the text alone", () => {
    const texts = ["token", "key:", "eyJaaaaaaaa", "password='", "sk-", "-----BEGIN PRIVATE KEY-----", "%3D"];
    const start = performance.now();
    for (const text of texts) recorded({ text: text.repeat(200_000 / text.length) });
    expect(performance.now() - start).toBeLessThan(2_500);
  });
});

test("a recording keeps what is no secret", () => {
  const names =
    "keyboard monkey author authority passage compass secretary tokenizer progressToken nextCursor nextPageToken " +
    "maxTokens input_tokens session_count token_type token_endpoint public_key sortKey key state session design inside";
  const args = {
    ...Object.fromEntries(names.split(" ").map((name) => [name, "some-value"])),
    code: -32601,
    maxTokens: 100,
    inputSchema: {
      type: "object",
      properties: { password: { type: "string" } },
      required: ["token", "city"],
    },
    text: `session count: 3, author: Ada, keyboard=qwerty, code: 404, {"key": "name", "maxTokens": 5}`,
    json: '{ "a": [1, 2] }',
  };
  expect(JSON.parse(recorded(args))).toEqual(args);
});

test("a message that is nested too deeply is recorded as text, and the client goes on", async () => {
  const deep = `${"[".repeat(20_000)}"token=${secret}"${"]".repeat(20_000)}`;
  const { port1, port2 } = new MessageChannel();
  port2.on("message", (text: string) => {
    const { id, method } = JSON.parse(text || "{}");
    if (id === undefined) return;
    port2.postMessage(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${deep}}}`);
    const result = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "s", version: "1" },
      tools: [],
    };
    port2.postMessage(
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        ...(method === "server/discover" ? { error: { code: -32601, message: "no" } } : { result }),
      }),
    );
  });
  const recording = record();
  await using client = await connect(recording.transport(portTransport(() => port1)), {
    revisions: ["2025-11-25"],
    onProblem: () => {},
  });
  expect(await client.tools.list().all()).toEqual([]);
  const texts = recording.transcript.entries.flatMap(({ text }) => text ?? []);
  expect(texts[0]).toContain("[[[[");
  expect(recording.toText()).not.toContain(secret);
});

test("a value that is nested too deeply is masked where a recording is given values", () => {
  let value: unknown = secret;
  for (let depth = 0; depth < 20_000; depth++) value = [value];
  expect(recorded({ value })).toMatch(/^\{"value":\[+"\*\*\*"\]+\}$/);
});
