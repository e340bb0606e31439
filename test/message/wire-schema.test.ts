import type { JsonObject, RevisionName } from "allspeak";
import { describe, expect, it, onTestFinished } from "vitest";
import { SupportedRevisions } from "../../src/protocol/negotiate.ts";
import { exchange } from "../support/http/exchange.ts";
import { KeepAlive } from "../support/http/keep-alive.ts";
import { toInitialize } from "../support/http/raw-session.ts";
import { RawSocket, toRequestText, toResponses } from "../support/http/raw-socket.ts";
import { greeting, ScriptedHttp, sessionScript } from "../support/http/scripted-http.ts";
import { toNewest } from "../support/http/stateless-request.ts";
import { SchemaCheck } from "../support/wire-schema/schema-check.ts";
import { loadSpecSchemas } from "../support/wire-schema/spec-schemas.ts";
import { allowViolations, takeViolations, WireCheck } from "../support/wire-schema/wire-check.ts";

const schemas = loadSpecSchemas();
const newest = "2026-07-28";

/** Where messages name no revision themselves, they come after this agreement. */
function agreeOn(revision: RevisionName): WireCheck {
  const check = new WireCheck("client", "server");
  const info = { name: "n", version: "1" };
  const named = { protocolVersion: revision, capabilities: {} };
  check.tap({ jsonrpc: "2.0", id: 0, method: "initialize", params: { ...named, clientInfo: info } }, "sent");
  check.tap({ jsonrpc: "2.0", id: 0, result: { ...named, serverInfo: info } }, "received");
  expect(takeViolations()).toEqual([]);
  return check;
}

function answerToolCall(check: WireCheck, result: JsonObject): string {
  check.tap({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } }, "sent");
  check.tap({ jsonrpc: "2.0", id: 1, result }, "received");
  return takeViolations().join("\n");
}

const tasksOfTheExtension = ["tasks/get", "tasks/update", "tasks/cancel", "notifications/tasks"];

describe.skipIf(schemas.size === 0)("the check of the wire against the specification's schemas", () => {
  const sessions = [...schemas.keys()].filter((revision) => revision !== newest);

  it.each([...schemas])("has exactly our methods of %s", (revision, { extensions: _, ...schema }) => {
    const ours = new SupportedRevisions().find(revision)?.methods.keys() ?? [];
    const isOfExtension = (name: string) => revision === newest && tasksOfTheExtension.includes(name);
    expect([...new SchemaCheck(schema).methods].sort()).toEqual(
      [...ours].filter((name) => !isOfExtension(name)).sort(),
    );
  });

  it.each(sessions)("finds a result without its content in %s", (revision) => {
    const found = answerToolCall(agreeOn(revision), {});
    expect(found).toContain(
      `${revision} CallToolResult #: Instance does not have required property "content"`,
    );
    expect(found).toContain('in what the server sent: {"jsonrpc":"2.0","id":1,"result":{}}');
  });

  it.each(sessions)("finds a member that %s does not have", (revision) => {
    const found = answerToolCall(agreeOn(revision), { content: [], ttlMs: 0 });
    expect(found).toContain('Property "ttlMs"');
  });

  it("finds a result without its type, inside of a task too, in the newest revision", () => {
    const check = new WireCheck("client", "server");
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": newest,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    check.tap({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta } }, "sent");
    check.tap({ jsonrpc: "2.0", id: 1, result: { content: [] } }, "received");
    check.tap({ jsonrpc: "2.0", id: 2, method: "tasks/get", params: { taskId: "t", _meta } }, "sent");
    check.tap(
      { jsonrpc: "2.0", id: 2, result: { resultType: "complete", result: { content: [] } } },
      "received",
    );
    const types = takeViolations().filter((each) => /CallToolResult #: .*"resultType"/.test(each));
    expect(types).toHaveLength(2);
  });

  it("finds audio in the first revision, which has none", () => {
    const audio = { content: [{ type: "audio", data: "", mimeType: "audio/wav" }] };
    expect(answerToolCall(agreeOn("2024-11-05"), audio)).toContain("#/content/0/type");
    expect(answerToolCall(agreeOn("2025-03-26"), audio)).toBe("");
  });

  it("leaves out the side that a test plays", () => {
    const check = new WireCheck("client");
    check.tap({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }, "sent");
    check.tap({ jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-11-25" } }, "received");
    expect(takeViolations()).toEqual([]);
    check.tap({ jsonrpc: "2.0", id: 2, method: "tools/call", params: {} }, "sent");
    expect(takeViolations()).toHaveLength(1);
  });

  it("checks the result of a client's task as the answer to its question", () => {
    const check = agreeOn("2025-11-25");
    const question = { messages: [], maxTokens: 1, task: {} };
    const task = {
      taskId: "t",
      status: "working",
      createdAt: "2025-11-25T00:00:00Z",
      lastUpdatedAt: "2025-11-25T00:00:00Z",
      ttl: null,
    };
    check.tap({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: question }, "received");
    check.tap({ jsonrpc: "2.0", id: 1, result: { task } }, "sent");
    const ask = { jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId: "t" } };
    const answer = { role: "assistant", content: { type: "text", text: "Hi" }, model: "m" };
    check.tap(ask, "received");
    check.tap({ jsonrpc: "2.0", id: 2, result: answer }, "sent");
    expect(takeViolations()).toEqual([]);
    check.tap(ask, "received");
    check.tap({ jsonrpc: "2.0", id: 2, result: { content: [] } }, "sent");
    expect(takeViolations().join()).toContain("CreateMessageResult");
  });

  it("checks the envelope of a task in the newest revision", () => {
    const check = new WireCheck("client", "server");
    const { body } = toNewest("tools/call", { name: "t" });
    check.tap(body, "sent");
    check.tap({ jsonrpc: "2.0", id: 1, result: { resultType: "task", taskId: "t" } }, "received");
    expect(takeViolations().join()).toContain(
      'CreateTaskResult #: Instance does not have required property "ttlMs"',
    );
    check.tap({ ...body, method: "tasks/get", params: { ...body.params, taskId: 1 } }, "sent");
    expect(takeViolations().join()).toContain("GetTaskRequest #/params");
  });

  it("checks the answers to requests that a test writes by hand, on the streams of a session too", async () => {
    const bad = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: "much" } };
    const server = await ScriptedHttp.start(
      sessionScript("2025-11-25", {
        GET: (visit) => visit.stream().event(bad).end(),
        "tools/call": (visit) => visit.result({ words: "none" }),
        initialize: (visit) => visit.result(greeting("2025-11-25"), { "mcp-session-id": "by-hand" }),
      }),
    );
    await (await exchange(server.url, { body: toInitialize("2025-11-25") })).json();
    expect(takeViolations()).toEqual([]);
    const headers = { "mcp-session-id": "by-hand" };
    await (await exchange(server.url, { headers })).events().messages();
    expect(takeViolations().join()).toContain("ProgressNotification");
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } };
    await (await exchange(server.url, { headers, body })).json();
    expect(takeViolations().join()).toContain("CallToolResult");
    await (await exchange(server.url, toNewest("tools/call", { name: "t" }))).json();
    expect(takeViolations().join()).toContain("2026-07-28 CallToolResult");
  });

  it("checks the answers on bare connections, pipelined ones and events too", async () => {
    const server = await ScriptedHttp.start((visit) =>
      visit.body.id === 2
        ? visit.stream().finish({ words: "none" })
        : visit.result({ resultType: "complete", content: visit.body.id === 1 ? [] : "é" }),
    );
    const toText = (id: number) => toRequestText(toNewest("tools/call", { name: "t" }, { id }));
    const socket = new RawSocket(server.port);
    onTestFinished(() => socket.destroy());
    socket.write(toText(1) + toText(2) + toText(3));
    await socket.until((text) => toResponses(text).length === 3);
    const found = takeViolations();
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('"words":"none"');
    expect(found[1]).toContain('"content":"é"');
    const connection = await KeepAlive.open(server.port);
    onTestFinished(() => connection.close());
    await connection.send(toText(1));
    expect(takeViolations()).toEqual([]);
    await connection.send(toText(3));
    expect(takeViolations()).toEqual([expect.stringContaining('"content":"é"')]);
  });

  it("checks the events on bare connections whose stream stays open, each once", async () => {
    const progress = (value: unknown) => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 1, progress: value },
    });
    const server = await ScriptedHttp.start((visit) => {
      visit.stream().event(progress("much")).event(progress(1)).event(progress("more"));
    });
    const socket = new RawSocket(server.port);
    onTestFinished(() => socket.destroy());
    socket.write(toRequestText(toNewest("tools/call", { name: "t" })));
    await socket.until((text) => text.includes('"much"'));
    await socket.until((text) => text.includes('"more"'));
    expect(takeViolations()).toEqual([
      expect.stringContaining('"progress":"much"'),
      expect.stringContaining('"progress":"more"'),
    ]);
  });

  it("allows what a test breaks on purpose, and nothing else", () => {
    const check = agreeOn("2025-11-25");
    check.tap({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 7 } }, "sent");
    check.tap({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: 8 } }, "sent");
    allowViolations("the name is a number on purpose", /"name":7/);
    expect(() => allowViolations("there are no others", /"name":9/)).toThrow("there are no others");
    expect(takeViolations()).toEqual([expect.stringContaining('"name":8')]);
  });
});
