// What docs/security.md says of the defaults is what the code does.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { maxListChars, maxListItems } from "../../src/client/lists/list-limits.ts";
import { defaultTimeout } from "../../src/contract/deadline.ts";
import { defaultLimits } from "../../src/guard/limit-options.ts";
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

/** The number that the sources below a path give to a name: `name = 16`, `name ?? 16`, `name: number = 64 * 1024`. */
function numberIn(path: string, name: string): number {
  const declaration = new RegExp(`\\b${name}(?:: number)? (?:=|\\?\\?) ([\\d_]+(?: \\*\\*? [\\d_]+)*)`, "g");
  const found = new Set(
    sourcesIn(path).flatMap((file) => [...read(file).matchAll(declaration)].map(toProduct)),
  );
  if (found.size !== 1) throw new Error(`${path} has ${found.size} numbers for ${name}.`);
  return [...found][0] ?? Number.NaN;
}

function sourcesIn(path: string): readonly string[] {
  if (path.endsWith(".ts")) return [path];
  const names = readdirSync(new URL(`../../${path}`, import.meta.url), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => `${path}/${name}`);
}

function toProduct([, factors = ""]: RegExpExecArray): number {
  return factors.split(" * ").reduce((product, factor) => product * toNumber(factor), 1);
}

function toNumber(factor: string): number {
  const [base = "", power = "1"] = factor.replaceAll("_", "").split(" ** ");
  return Number(base) ** Number(power);
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** A room of which one holder gets three quarters at most. */
function toFairRoom(size: number): string {
  return `${grouped(size)}, then 503; ${grouped(size * 0.75)} of one principal or address`;
}

const rows: [what: string, says: string][] = [
  ["calls at once", toFairRoom(defaultLimits.running)],
  ["streams of `subscriptions/listen`", toFairRoom(defaultLimits.listening)],
  [
    "calls of an anonymous address, not on this machine",
    `${grouped(defaultLimits.anonymous.calls)} a minute, then 429`,
  ],
  ["calls at once of such an address", `${defaultLimits.anonymous.running}, then 429`],
  ["body of a request", `${http.maxBodyBytes / mebibyte} MiB, then 413`],
  ["time for a body, or a WebSocket message", `${http.bodyMs / 1000} s, then 408 or a closed connection`],
  ["connection without a request", `${numberIn("src/node", "idleConnectionMs") / 1000} s, then closed`],
  ["time for a head", `${numberIn("src/node", "headersMs") / 1000} s, then 408`],
  ["sessions", `${grouped(http.sessions.max)}; [the largest holder](#budgets) loses its longest idle one`],
  [
    "bytes of sessions: clients' descriptions, subscriptions",
    `${http.sessions.maxBytes / mebibyte} MiB in all`,
  ],
  ["idle session", `${http.sessions.idleMs / 60_000} minutes`],
  ["time to come back to a broken stream", `${http.sessions.resumeMs / 1000} s`],
  ["sign of life on idle streams", `every ${http.keepAliveMs / 1000} s`],
  ["reader that takes nothing", `cut after ${http.stallMs / 1000} s`],
  ["bytes that wait for a reader", `${grouped(maxBufferedBytes / 1024)} KiB and one message`],
  [
    "events kept of one stream, in memory",
    `${grouped(numberIn("src/state/memory", "maxEvents"))} and ${numberIn("src/state/memory", "maxChars") / mebibyte} MiB`,
  ],
  [
    "events kept in all, in memory",
    `${numberIn("src/state/memory", "maxTotalChars") / mebibyte} MiB; the session with the most loses its oldest`,
  ],
  [
    "WebSocket message",
    `${websocketLimits().maxPayload / mebibyte} MiB in at most ${websocketLimits().maxFragments} fragments`,
  ],
  ["draining on close", `${numberIn("src/transports/http/server", "drainMs") / 1000} s`],
  ["depth of a message", `${numberIn("src/protocol/parse.ts", "maxDepth")} levels`],
  ["id of a request", `${numberIn("src/protocol", "maxIdLength")} characters`],
  ["messages in a batch", `${numberIn("src/protocol", "maxBatchMessages")}`],
  ["line on stdio, message on a socket", `${defaultMaxMessageBytes / mebibyte} MiB`],
  ["connections to a socket", `${numberIn("src/node", "maxConnections")}`],
  ["resources one session subscribes to", grouped(numberIn("src/server", "maxSubscriptions"))],
  ["resources one `subscriptions/listen` names", grouped(numberIn("src/server", "maxListened"))],
  [
    "resources of mounts that are watched",
    toFairRoom(numberIn("src/server", "maxWatched")).replace("503", "-32602"),
  ],
  ["cursor of a list", `${numberIn("src/server", "maxLength")} characters`],
  ["rounds in which a handler asks", `${numberIn("src/server", "maxRounds")}`],
  [
    "sealed state of a call",
    `good for ${numberIn("src/seal", "ttlMs") / 60_000} minutes, ${numberIn("src/seal", "maxBytes") / mebibyte} MiB`,
  ],
  ["silence of a call, without progress, log messages, pings or bytes", `${defaultTimeout.idle / 1000} s`],
  ["a call in all, whatever progress it makes", `${defaultTimeout.total / 60_000} minutes`],
  ["opening a connection", `${numberIn("src/client", "defaultOpenMs") / 1000} s`],
  ["message over HTTP, stdio or a socket", `${defaultMaxMessageBytes / mebibyte} MiB`],
  [
    "pages of a list",
    `${grouped(numberIn("src/client", "maxPages"))}; a cursor that comes twice ends it, with a report`,
  ],
  ["items of a list, of a result, of a prompt or a resource", grouped(maxListItems)],
  [
    "all pages of a list",
    `${maxListChars / mebibyte} Mi characters, and the \`timeout.total\` of the call that needs it`,
  ],
  [
    "results kept as long as the server allows",
    `one of each list, ${numberIn("src/client", "maxCachedReads")} resources with ${numberIn("src/client", "maxCachedChars") / mebibyte} Mi characters`,
  ],
  [
    "requests of a server that are not answered yet",
    `${grouped(numberIn("src/peer", "maxOpenRequests"))} and ${defaultMaxMessageBytes / mebibyte} Mi characters, then -32603`,
  ],
  [
    "answers that a server does not take",
    `${grouped(numberIn("src/peer", "maxUnsentAnswers"))}, then its requests are dropped`,
  ],
  ["answers that are posted at once over HTTP", `${numberIn("src/transports/http/client", "maxReplyPosts")}`],
  [
    "questions of a server as tasks",
    `${numberIn("src/client/incoming", "maxTasks")} and ${numberIn("src/client/incoming", "maxTaskChars") / mebibyte} Mi characters`,
  ],
  ["rounds in which a server asks", `${numberIn("src/client", "maxRounds")}`],
  ["questions in one round", `${numberIn("src/client", "maxAsks")}`],
  ["redirects", `${numberIn("src/transports/http/client", "maxRedirects")}, never to another origin`],
  [
    "pause before a stream is opened again",
    `${numberIn("src/transports/http/client", "firstMs") / 1000} to ${numberIn("src/transports/http/client", "longestMs") / 1000} s, never below ${numberIn("src/transports/http/client", "floorMs")} ms`,
  ],
  [
    "silence of a stream that had signs of life",
    `${numberIn("src/transports/http/client", "silenceMs") / 1000} s`,
  ],
  ["exit after the end of input", `${numberIn("src/node", "graceMs")} ms`],
  [
    "unread output",
    `${numberIn("src/transports", "defaultMaxUnsent") / mebibyte} Mi characters, then the connection ends`,
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
