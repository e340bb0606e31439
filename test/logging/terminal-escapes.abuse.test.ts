import { expect, it, onTestFinished, vi } from "vitest";
import { createReport } from "../../src/client/report.ts";
import { logToConsole } from "../../src/server/log.ts";

const hostile = "a\u001b[2J\u001b]0;owned\u0007\r\u009b31m\u202eb";

function captured(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((...parts: unknown[]) => {
    lines.push(parts.map((part) => (part instanceof Error ? part.stack : String(part))).join(" "));
  });
  onTestFinished(() => spy.mockRestore());
  return lines;
}

it("a problem of a client is printed without what a terminal would obey", () => {
  const lines = captured();
  createReport()(new Error(hostile));
  expect(lines).toEqual(["allspeak: a\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{d}\\u{9b}31m\\u{202e}b"]);
});

it("neither is an entry of a server's log, nor its cause", () => {
  const lines = captured();
  logToConsole({ message: `Tool ${hostile} failed`, cause: new Error(hostile) });
  logToConsole({ message: "plain", cause: "line\nbreak" });
  expect(lines[0]).toContain("a\\u{1b}[2J");
  for (const code of [0x1b, 0x07, 0x0d, 0x9b, 0x202e])
    expect(lines[0]).not.toContain(String.fromCodePoint(code));
  expect(lines[1]).toBe("[allspeak] plain line\nbreak");
});
