// What docs/security.md says of the defaults is what the code does.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaultTimeout } from "../../src/contract/deadline.ts";
import { defaultLimits } from "../../src/guard/call-limits.ts";
import { defaultMaxMessageBytes } from "../../src/protocol/parse.ts";
import { defaultBudgets } from "../../src/schema/validator/budget.ts";
import { maxBufferedBytes } from "../../src/transports/http/server/http-interface.ts";
import { toHttpSettings } from "../../src/transports/http/server/http-options.ts";
import { websocketLimits } from "../../src/transports/websocket/limits.ts";

const page = read("docs/security.md");
const http = toHttpSettings({});
const mebibyte = 1024 * 1024;
const { own, peer } = defaultBudgets;

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

/** The number that a file gives to a name: `name = 16`, `name ?? 16`, `name: number = 64 * 1024`. */
function numberIn(path: string, name: string): number {
  const found = new RegExp(`\\b${name}(?:: number)? (?:=|\\?\\?) ([\\d_]+(?: \\*\\*? [\\d_]+)*)`).exec(
    read(path),
  )?.[1];
  if (found === undefined) throw new Error(`${path} has no number for ${name}.`);
  return found.split(" * ").reduce((product, factor) => product * toNumber(factor), 1);
}

function toNumber(factor: string): number {
  const [base = "", power = "1"] = factor.replaceAll("_", "").split(" ** ");
  return Number(base) ** Number(power);
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

const rows: [what: string, says: string][] = [
  ["calls at once", `${grouped(defaultLimits.running)}, then 503`],
  ["streams of `subscriptions/listen`", `${grouped(defaultLimits.listening)}, then 503`],
  [
    "calls of an anonymous address, not on this machine",
    `${grouped(defaultLimits.anonymous.calls)} a minute, then 429`,
  ],
  ["calls at once of such an address", `${defaultLimits.anonymous.running}, then 429`],
  ["body of a request", `${http.maxBodyBytes / mebibyte} MiB, then 413`],
  ["time for a body", `${http.bodyMs / 1000} s, then 408`],
  ["time for a head", `${numberIn("src/serve-http.ts", "headersMs") / 1000} s, then 408`],
  ["sessions", `${grouped(http.sessions.max)}; the longest idle goes first`],
  ["idle session", `${http.sessions.idleMs / 60_000} minutes`],
  ["time to come back to a broken stream", `${http.sessions.resumeMs / 1000} s`],
  ["sign of life on idle streams", `every ${http.keepAliveMs / 1000} s`],
  ["reader that takes nothing", `cut after ${http.stallMs / 1000} s`],
  ["bytes that wait for a reader", `${grouped(maxBufferedBytes / 1024)} KiB and one message`],
  [
    "events kept of one stream, in memory",
    `${grouped(numberIn("src/state/memory.ts", "maxEvents"))} and ${numberIn("src/state/memory.ts", "maxChars") / mebibyte} MiB`,
  ],
  ["events kept in all, in memory", `${numberIn("src/state/memory.ts", "maxTotalChars") / mebibyte} MiB`],
  [
    "WebSocket message",
    `${websocketLimits().maxPayload / mebibyte} MiB in at most ${websocketLimits().maxFragments} fragments`,
  ],
  ["draining on close", `${numberIn("src/transports/http/http-core.ts", "drainMs") / 1000} s`],
  ["depth of a message", `${numberIn("src/protocol/parse.ts", "maxDepth")} levels`],
  ["id of a request", `${numberIn("src/protocol/message.ts", "maxIdLength")} characters`],
  ["messages in a batch", `${numberIn("src/protocol/message.ts", "maxBatchMessages")}`],
  ["line on stdio, message on a socket", `${defaultMaxMessageBytes / mebibyte} MiB`],
  ["connections to a socket", `${numberIn("src/serve-socket.ts", "maxConnections")}`],
  [
    "resources one session subscribes to",
    grouped(numberIn("src/server/handlers/subscription-limit.ts", "maxSubscriptions")),
  ],
  ["cursor of a list", `${numberIn("src/server/cursor.ts", "MAX_LENGTH")} characters`],
  ["rounds in which a handler asks", `${numberIn("src/server/create-server.ts", "maxRounds")}`],
  [
    "sealed state of a call",
    `good for ${numberIn("src/seal/seal.ts", "ttlMs") / 60_000} minutes, ${numberIn("src/seal/seal.ts", "maxBytes") / mebibyte} MiB`,
  ],
  ["silence of a call", `${defaultTimeout.idle / 1000} s`],
  ["a call in all, whatever progress it makes", `${defaultTimeout.total / 60_000} minutes`],
  ["opening a connection", `${numberIn("src/client/connect.ts", "defaultOpenMs") / 1000} s`],
  ["message over HTTP, stdio or a socket", `${defaultMaxMessageBytes / mebibyte} MiB`],
  ["pages of a list", grouped(numberIn("src/client/lists.ts", "maxPages"))],
  ["items of a list", grouped(numberIn("src/client/lists.ts", "maxItems"))],
  ["rounds in which a server asks", `${numberIn("src/client/rounds.ts", "maxRounds")}`],
  ["questions in one round", `${numberIn("src/client/rounds.ts", "maxAsks")}`],
  [
    "redirects",
    `${numberIn("src/transports/http/client/sender.ts", "maxRedirects")}, never to another origin`,
  ],
  [
    "pause before a stream is opened again",
    `${numberIn("src/transports/http/client/back-off.ts", "firstMs") / 1000} to ${numberIn("src/transports/http/client/back-off.ts", "longestMs") / 1000} s, never below ${numberIn("src/transports/http/client/back-off.ts", "floorMs")} ms`,
  ],
  [
    "silence of a stream that had signs of life",
    `${numberIn("src/transports/http/client/http-client-options.ts", "silenceMs") / 1000} s`,
  ],
  ["exit after the end of input", `${numberIn("src/serve-stdio.ts", "graceMs")} ms`],
  [
    "unread output",
    `${numberIn("src/transports/stdio/line-writer.ts", "defaultMaxUnsent") / mebibyte} Mi characters, then the connection ends`,
  ],
  ["size", `${peer.maxBytes / 1024} KiB | ${own.maxBytes / mebibyte} MiB`],
  ["depth", `${peer.maxDepth} | ${own.maxDepth}`],
  ["subschemas", `${grouped(peer.maxSubschemas)} | ${grouped(own.maxSubschemas)}`],
  ["steps of one validation", `${grouped(peer.maxSteps)} | ${grouped(own.maxSteps)}`],
];

describe("docs/security.md tells the truth about", () => {
  it.each(rows)("%s", (what, says) => {
    expect(page).toContain(`| ${what} | ${says} |`);
  });
});
