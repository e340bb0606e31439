// A recording may be of a hostile server, or a file of a stranger.
import { createServer } from "allspeak";
import { replay } from "allspeak/testing";
import { expect, it } from "vitest";

type Line = { readonly from: "client" | "server"; readonly message: object };

function toTranscript(lines: readonly Line[]): string {
  const head = { transcript: 1, startedAt: "2026-01-01T00:00:00Z", transport: { kind: "memory" } };
  const entries = lines.map((line, at) => ({ at, ...line }));
  return [head, ...entries].map((line) => JSON.stringify(line)).join("\n");
}

const info = { name: "n", version: "1" };
const opening: readonly Line[] = [
  {
    from: "client",
    message: {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info },
    },
  },
  {
    from: "server",
    message: {
      jsonrpc: "2.0",
      id: 1,
      result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: info },
    },
  },
  { from: "client", message: { jsonrpc: "2.0", method: "notifications/initialized" } },
];

it("a recording of very many questions and answers takes room in proportion to it", () => {
  const many = Array.from({ length: 20_000 }, (_, id): Line[] => [
    { from: "server", message: { jsonrpc: "2.0", id: `q${id}`, method: "ping" } },
    { from: "client", message: { jsonrpc: "2.0", id: `q${id}`, result: {} } },
  ]);
  const played = replay(toTranscript([...opening, ...many.flat()])).asServer();
  expect(played.report.differences).toHaveLength(20_002);
});

it("a report shows no character that a terminal obeys", async () => {
  const hostile = "\u001b[2J\u009b31m\u202e\u2028";
  const lines: Line[] = [
    ...opening,
    { from: "client", message: { jsonrpc: "2.0", id: 2, method: `tools/list${hostile}` } },
    { from: "server", message: { jsonrpc: "2.0", id: 2, result: { [hostile]: hostile } } },
    { from: "server", message: { jsonrpc: "2.0", method: `notifications/${hostile}`, params: {} } },
  ];
  const report = await replay(toTranscript(lines)).toServer(createServer({ name: "s", version: "1" }), {
    waitMs: 1,
  });
  expect(report.differences.length).toBeGreaterThan(0);
  expect(report.text).not.toMatch(/(?!\n)[\p{Cc}\u2028\u202e]/u);
  expect(report.text).toContain("\\u{1b}");
});

it.each([
  ["a message of a hundred thousand levels", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ["a message that is a number", "5"],
  ["a message that is null", "null"],
])("%s is refused with its line", (_, message) => {
  const line = `{"at":0,"from":"server","message":${message}}`;
  expect(() => replay(`${toTranscript([])}\n${line}`)).toThrow(/^Line 2 of the transcript/);
});

it("a message with a name of a prototype changes no prototype, and is played", async () => {
  const message = JSON.parse(
    '{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"polluted":1},"constructor":{"polluted":1}}}',
  );
  const [first] = opening;
  const report = await replay(
    toTranscript([...(first ? [first] : []), { from: "server", message }]),
  ).toServer(createServer({ name: "s", version: "1" }));
  expect(report.differences.length).toBeGreaterThan(0);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
