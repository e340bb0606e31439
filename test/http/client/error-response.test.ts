import { describe, expect, test } from "vitest";
import { RpcError } from "../../../src/errors.ts";
import { readErrorResponse } from "../../../src/transports/http/client/fetch/error-response.ts";
import { FetchResponse } from "../../../src/transports/http/client/fetch-sender.ts";
import {
  isSessionLost,
  isSessionLostError,
  namesLostSession,
} from "../../../src/transports/http/client/recovery/session-loss.ts";

const url = new URL("https://example.com/mcp?key=secret");
const json = { "content-type": "application/json" };

function refuse(status: number, body = "", headers: Record<string, string> = {}) {
  return readErrorResponse(new FetchResponse(new Response(body, { status, headers }), url), "POST", url);
}

const failure = (message: string, id: unknown = null) =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } });

describe("a refusal", () => {
  test.each([
    "Session not found",
    "session abc-123 not found",
    "Session has been terminated",
    "The session ID is no longer valid",
    "Bad Request: No valid session ID provided",
    "Unknown session",
    "Invalid MCP-Session ID",
    "Expired session",
  ])("that says %j means a lost session", async (words) => {
    expect(namesLostSession(await refuse(400, words))).toBe(true);
    expect(isSessionLost(await refuse(400, failure(words), json))).toBe(true);
    expect(isSessionLost(await refuse(410, words))).toBe(true);
    expect(isSessionLostError(new RpcError(-32001, words))).toBe(true);
    // Any other code is a tool's own business, which may have sessions of its own.
    expect(isSessionLostError(new RpcError(-32602, words))).toBe(false);
  });

  test.each([
    "No such stream; it has ended or is not of this session.",
    "Bad request",
    "Open a session first, please",
    "Parse error",
  ])("that says %j does not", async (words) => {
    expect(isSessionLost(await refuse(400, words))).toBe(false);
  });

  test("by 404 means a lost session, unless it is the answer to the very request", async () => {
    expect(isSessionLost(await refuse(404), 1)).toBe(true);
    expect(isSessionLost(await refuse(404, "<html>", { "content-type": "text/html" }), 1)).toBe(true);
    expect(isSessionLost(await refuse(404, failure("Nothing here"), json), 1)).toBe(true);
    expect(isSessionLost(await refuse(404, failure("Method not found", 1), json), 1)).toBe(false);
    expect(isSessionLost(await refuse(404, failure("Session not found", 1), json), 1)).toBe(true);
  });

  test.each([401, 403, 405, 500, 503])("by %i never does", async (status) => {
    expect(isSessionLost(await refuse(status, "Session not found"))).toBe(false);
  });

  test.each([
    [
      "an empty body",
      "",
      "POST https://example.com/mcp was answered with 403: the token needs the scopes a:read b",
    ],
    [
      "a body that does not name them",
      "No.",
      "POST https://example.com/mcp was answered with 403: No. (the token needs the scopes a:read b)",
    ],
    [
      "a body that names them",
      "Needs b, a:read",
      "POST https://example.com/mcp was answered with 403: Needs b, a:read",
    ],
  ])("names the scopes that are missing, with %s", async (_, body, message) => {
    const challenge =
      'Bearer realm="x", error="insufficient_scope", scope="a:read b", resource_metadata="https://x"';
    expect((await refuse(403, body, { "www-authenticate": challenge })).error.message).toBe(message);
  });

  test("shows few words of a challenge, and nothing that a terminal obeys", async () => {
    const challenge = `Bearer error="insufficient_scope", scope="\u009b31m ${"x".repeat(9_000)}"`;
    const { message } = (await refuse(403, "", { "www-authenticate": challenge })).error;
    expect(message).toContain("the scopes \\u{9b}31m x");
    expect(message.length).toBeLessThan(300);
  });

  test.each([
    "",
    'Bearer scope="a"',
    'Bearer error="insufficient_scope"',
    'Bearer error="insufficient_scope", scope=""',
  ])("names no scopes where the challenge is %j", async (challenge) => {
    const { message } = (await refuse(403, "", { "www-authenticate": challenge })).error;
    expect(message).toBe("POST https://example.com/mcp was answered with 403.");
  });

  test("keeps what says how to go on, and nothing that may be secret", async () => {
    const headers = { "www-authenticate": "Bearer", "retry-after": "3", "set-cookie": "id=secret" };
    const { error } = await refuse(401, "Who are you?", headers);
    expect(error.headers).toEqual({ "www-authenticate": "Bearer", "retry-after": "3" });
    expect(error.message).toMatch(/^POST https:\/\/example\.com\/mcp was answered with 401: Who are you\?/);
    expect(error.message).toContain("auth: oauth()");
    expect(error.message).not.toContain("secret");
  });

  test.each([
    ["text", "Bad key: api_key=s3cret-0f-the-user", "text/plain"],
    ["JSON", '{"error":"no","access_token":"s3cret-0f-the-user"}', "application/json"],
    ["a message", failure("Refused: Authorization: Bearer s3cret-0f-the-user"), "application/json"],
    ["a page", "<title>Denied for token=s3cret-0f-the-user</title>", "text/html"],
  ])("shows no secret that its body has as %s", async (_, body, type) => {
    const { error } = await refuse(500, body, { "content-type": type });
    expect(error.message).toContain("***");
    expect(error.message).not.toContain("s3cret");
  });

  test("shows no secret that begins where its text is cut off", async () => {
    const { error } = await refuse(500, `${"x ".repeat(90)}token=${"s3cret".repeat(20)}`);
    expect(error.message).not.toContain("s3cret");
  });

  test("shows control characters as escapes", async () => {
    const { error } = await refuse(500, "one\n\u001b[31mtwo");
    expect(error.message).toContain("one\\n\\u{1b}[31mtwo");
  });

  test("shows no more of what was said than is useful", async () => {
    const { error } = await refuse(500, "x".repeat(100_000));
    expect(error.message.length).toBeLessThan(300);
  });
});
