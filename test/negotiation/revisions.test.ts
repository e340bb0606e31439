import { describe, expect, it } from "vitest";
import { UnsupportedRevisionError, UsageError } from "../../src/errors.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { encodeAnswer, encodeAsk } from "../../src/protocol/ask/ask.ts";
import {
  answerHandshake,
  chooseRevision,
  resolveRequestRevision,
  SupportedRevisions,
} from "../../src/protocol/negotiate.ts";
import type { Revision } from "../../src/protocol/revision.ts";
import { revisions } from "../../src/protocol/revisions/index.ts";

const named = (version: string): Revision => {
  const found = revisions.find((revision) => revision.version === version);
  if (!found) throw new Error(`no revision ${version}`);
  return found;
};
const server = { name: "s", version: "1", title: "S", icons: [{ src: "https://x/y.png" }] };
const encode = (version: string, method: string, result: JsonObject) =>
  named(version).encode.result(method, result, server);

describe("methods by revision", () => {
  const knows = (method: string) => revisions.filter((r) => r.methods.has(method)).map((r) => r.version);

  it.each([
    ["tools/call", ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]],
    ["initialize", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]],
    ["ping", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]],
    ["server/discover", ["2026-07-28"]],
    ["subscriptions/listen", ["2026-07-28"]],
    ["resources/subscribe", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]],
    ["elicitation/create", ["2026-07-28", "2025-11-25", "2025-06-18"]],
    ["notifications/elicitation/complete", ["2025-11-25"]],
    ["tasks/result", ["2025-11-25"]],
    ["notifications/roots/list_changed", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]],
  ])("%s is in %j", (method, expected) => {
    expect(knows(method)).toEqual(expected);
  });

  it("completion needs a capability from the revision on that has one", () => {
    expect(named("2024-11-05").methods.get("completion/complete")?.needs).toBeUndefined();
    expect(named("2025-03-26").methods.get("completion/complete")?.needs?.capability).toBe("completions");
  });
});

describe("negotiation", () => {
  const all = new SupportedRevisions();

  it("answers with the version asked for, else with the newest of that kind", () => {
    expect(answerHandshake("2024-11-05", all).version).toBe("2024-11-05");
    expect(answerHandshake("1.0.0", all).version).toBe("2025-11-25");
    expect(answerHandshake("2026-07-28", all).version).toBe("2025-11-25");
    expect(answerHandshake("2025-11-25", new SupportedRevisions(["2025-03-26"])).version).toBe("2025-03-26");
  });

  it("refuses initialize, naming what it speaks, when it opens no sessions", () => {
    const error = catchError(() => answerHandshake("2025-11-25", new SupportedRevisions(["2026-07-28"])));
    expect(error).toMatchObject({
      wireCode: -32602,
      message: expect.stringContaining("Unsupported protocol version"),
      data: { supported: ["2026-07-28"], requested: "2025-11-25" },
    });
  });

  it("refuses a request of an unknown version, or of one that opens sessions, with -32022", () => {
    for (const requested of ["v999.0.0", "2025-11-25"]) {
      const error = catchError(() => resolveRequestRevision(requested, all));
      expect(error).toMatchObject({ wireCode: -32022, data: { supported: all.names, requested } });
    }
  });

  it("chooses the newest that both speak", () => {
    expect(chooseRevision(["2024-11-05", "2025-06-18", "2099-01-01"], all).version).toBe("2025-06-18");
    expect(() => chooseRevision(["2099-01-01"], all)).toThrow(UnsupportedRevisionError);
  });

  it("does not take a revision it has never heard of", () => {
    expect(() => new SupportedRevisions(["2023-01-01"])).toThrow(UsageError);
    expect(() => new SupportedRevisions([])).toThrow(UsageError);
  });
});

describe("results in the words of a revision", () => {
  const tool = {
    name: "t",
    title: "T",
    inputSchema: { type: "object" },
    outputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    icons: [{ src: "https://x/y.png" }],
    _meta: { a: 1 },
    "x-own": true,
  };

  it.each([
    ["2024-11-05", ["inputSchema", "name", "x-own"]],
    ["2025-03-26", ["annotations", "inputSchema", "name", "x-own"]],
    ["2025-06-18", ["_meta", "annotations", "inputSchema", "name", "outputSchema", "title", "x-own"]],
    [
      "2025-11-25",
      ["_meta", "annotations", "icons", "inputSchema", "name", "outputSchema", "title", "x-own"],
    ],
  ])("%s lists a tool with %j", (version, expected) => {
    const [listed] = encode(version, "tools/list", { tools: [tool] }).tools as [JsonObject];
    expect(Object.keys(listed).sort()).toEqual(expected);
  });

  it("what is given is never changed", () => {
    const before = structuredClone(tool);
    for (const { version } of revisions) encode(version, "tools/list", { tools: [tool] });
    expect(tool).toEqual(before);
  });

  const result = {
    content: [
      { type: "resource_link", uri: "file:///a", name: "a", description: "About a" },
      { type: "audio", data: "AA==", mimeType: "audio/wav" },
      { type: "x-own", anything: true },
    ],
    structuredContent: { a: 1 },
  };

  it("content that a revision does not know becomes text; kinds of no revision are left alone", () => {
    const texts = encode("2024-11-05", "tools/call", result).content;
    expect(texts).toEqual([
      { type: "text", text: "a: file:///a\nAbout a" },
      { type: "text", text: "[audio: audio/wav]" },
      { type: "x-own", anything: true },
    ]);
    expect(encode("2025-11-25", "tools/call", result).content).toEqual(result.content);
  });

  it("structured content goes where it is known, and only objects where only objects are", () => {
    const has = (version: string, structuredContent: unknown) =>
      "structuredContent" in encode(version, "tools/call", { content: [], structuredContent });
    expect(["2024-11-05", "2025-03-26"].map((version) => has(version, { a: 1 }))).toEqual([false, false]);
    expect(["2025-06-18", "2026-07-28"].map((version) => has(version, { a: 1 }))).toEqual([true, true]);
    expect(["2025-11-25", "2026-07-28"].map((version) => has(version, [1]))).toEqual([false, true]);
  });

  it("says what kind of result it is, and who made it, in the revision that wants it", () => {
    const encoded = encode("2026-07-28", "tools/call", { content: [], _meta: { mine: 1 } });
    expect(encoded).toEqual({
      resultType: "complete",
      content: [],
      _meta: { mine: 1, "io.modelcontextprotocol/serverInfo": server },
    });
    expect(encode("2026-07-28", "tools/call", { resultType: "input_required" }).resultType).toBe(
      "input_required",
    );
  });

  it("leaves cache hints and the kind of result out of older revisions", () => {
    const given = { tools: [], ttlMs: 5, cacheScope: "public", resultType: "complete" };
    expect(encode("2025-11-25", "tools/list", given)).toEqual({ tools: [] });
  });

  it("introduces the server with the members that a revision knows", () => {
    const given = {
      serverInfo: server,
      capabilities: { completions: {}, tools: {}, extensions: { "a/b": {} } },
    };
    expect(encode("2024-11-05", "initialize", given)).toEqual({
      serverInfo: { name: "s", version: "1" },
      capabilities: { tools: {}, extensions: { "a/b": {} } },
    });
    expect(encode("2025-06-18", "initialize", given).serverInfo).toEqual({
      name: "s",
      version: "1",
      title: "S",
    });
  });

  it("progress messages stay out of the revision that has none", () => {
    const params = { progressToken: 1, progress: 1, message: "half" };
    expect(named("2024-11-05").encode.params("notifications/progress", params)).not.toHaveProperty("message");
    expect(named("2025-03-26").encode.params("notifications/progress", params)).toEqual(params);
  });
});

describe("asks in the words of a revision", () => {
  const several = {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ],
    maxTokens: 5,
    tools: [],
  };

  it("a message of several blocks becomes several messages where a message has one", () => {
    const ask = encodeAsk(named("2025-06-18"), "sampling/createMessage", several);
    expect(ask).toEqual({
      messages: [
        { role: "user", content: { type: "text", text: "a" } },
        { role: "user", content: { type: "text", text: "b" } },
      ],
      maxTokens: 5,
    });
    expect(encodeAsk(named("2025-11-25"), "sampling/createMessage", several)).toEqual(several);
  });

  it("an answer of several blocks becomes its first where there is room for one", () => {
    const answer = { role: "assistant", model: "m", content: [{ type: "text", text: "a" }] };
    expect(encodeAnswer(named("2025-03-26"), "sampling/createMessage", answer).content).toEqual({
      type: "text",
      text: "a",
    });
    expect(encodeAnswer(named("2025-11-25"), "sampling/createMessage", answer)).toEqual(answer);
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
