import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { methods } from "../src/protocol/method-table.ts";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** The rooms that each room may import, beside itself. A path stands for itself and everything below it. */
const rooms: Readonly<Record<string, string>> = {
  lib: "",
  errors: "",
  protocol: "lib errors",
  schema: "lib",
  state: "lib errors protocol",
  contract: "lib errors protocol state",
  debug: "lib protocol contract",
  peer: "lib errors protocol state contract debug",
  seal: "lib errors protocol",
  guard: "lib errors protocol state contract",
  auth: "lib errors protocol state contract platform/web",
  cluster: "lib errors protocol state contract",
  transports: "lib errors protocol state contract debug peer guard cluster platform/web",
  server: "lib errors protocol state contract peer schema seal platform/unhandled-rejections",
  client: "lib errors protocol state contract debug peer schema transports platform/web",
  host: "lib errors protocol contract schema guard client transports platform/web",
  otel: "lib errors protocol contract",
  bridge: "lib errors protocol contract client server",
  gateway: "lib errors protocol contract client server bridge host",
  platform: "lib errors protocol contract auth transports node",
  node: "lib errors protocol state contract peer cluster guard auth client transports",
  // A program beside the library: it uses the public names, and only parts without state of its inside.
  cli: "lib schema contract doctor host/config/jsonc client/connect/split-command server/derive-call node/login/open-browser node/files/host-files transports/stdio/child-environment",
  // Shared by the command and the inspector.
  doctor: "lib schema",
  testing: "lib errors protocol schema state contract peer transports client",
  // A program beside the library, as the command is; the messages name types of the library.
  inspector:
    "lib errors protocol contract schema guard doctor client host transports testing/transcript node/files/host-files node/login/loopback-login",
};

/** Entries that must load where there is no Node. */
const neutralEntries = [
  "index.ts",
  "client.ts",
  "http.ts",
  "auth.ts",
  "tasks.ts",
  "host.ts",
  "bridge.ts",
  "gateway.ts",
  "otel.ts",
  "platform/web.ts",
];
const nodeEntries = [
  "node.ts",
  "auth-dev.ts",
  "testing.ts",
  "testing-state.ts",
  "state-nats.ts",
  "state-sqlite.ts",
  "state-postgres.ts",
  "platform/node.ts",
  "cli/bin.ts",
  "inspector.ts",
];

/** Where listeners of the whole process may be installed: signals, exit, unhandled rejections. */
const processListeners = [
  "node",
  "platform",
  "cli/bin",
  "cli/explain-exit",
  "cli/target/load-module",
  "transports/stdio/child-registry",
];

/**
 * The files outside protocol that name methods: each sends, receives or answers those methods itself.
 * A property of a method is a column of `protocol/method-table.ts`, never a choice by name.
 */
const methodUsers: Readonly<Record<string, string>> = {
  "bridge/changed-roots": "notifications/roots/list_changed",
  "cli/verbs/request/start-task": "tools/call",
  "client/capabilities": "notifications/roots/list_changed",
  "client/client":
    "completion/complete logging/setLevel notifications/roots/list_changed ping server/discover",
  "client/connect/connect": "notifications/initialized",
  "client/connect/negotiate": "initialize server/discover",
  "client/features/prompts": "prompts/get prompts/list",
  "client/features/resources": "resources/list resources/read resources/templates/list",
  "client/features/tasks": "tasks/cancel tasks/list",
  "client/features/tools": "tools/call tools/list",
  "client/forward/asker": "elicitation/create roots/list sampling/createMessage",
  "client/forward/forwarded-tasks": "tasks/cancel tasks/get tasks/result tasks/update",
  "client/forward/mounted-client": "completion/complete",
  "client/forward/pass-log": "notifications/message",
  "client/forward/passed-options": "notifications/progress",
  "client/forward/required-visits": "elicitation/create",
  "client/forward/running-calls": "notifications/elicitation/complete",
  "client/incoming/answer-ask": "elicitation/create roots/list sampling/createMessage",
  "client/incoming/notifications": "notifications/message",
  // A question that becomes a task is answered in the encoding of a tool call that does.
  "client/incoming/received-tasks":
    "notifications/tasks/status tasks/cancel tasks/get tasks/list tasks/result tools/call",
  "client/incoming/receiver": "ping",
  "client/incoming/sampling": "sampling/createMessage",
  "client/request-headers": "tools/list",
  "client/subscriptions/listen-stream": "notifications/subscriptions/acknowledged subscriptions/listen",
  "client/subscriptions/resource-subscriptions": "resources/subscribe resources/unsubscribe",
  "client/tasks/poll-task": "notifications/tasks tasks/update tools/call",
  "client/tasks/task-requests": "tasks/get",
  "client/tasks/wait-for-task":
    "notifications/progress notifications/tasks/status tasks/cancel tasks/result tools/call",
  "client/trust/tool-guard": "tools/call",
  "doctor/http-probe": "initialize server/discover",
  "contract/server-event": "notifications/elicitation/complete notifications/message",
  // A refused caller counts as one that tried to open a session.
  "guard/failed-attempts": "initialize",
  // The operations of the page.
  "inspector/messages/revisions": "ping",
  "inspector/recordings/recorded-answers": "elicitation/create roots/list sampling/createMessage",
  "inspector/recordings/transcript": "tasks/result",
  "inspector/revisions/operation":
    "ping prompts/get prompts/list resources/list resources/read tools/call tools/list",
  "inspector/wire/specification-check": "notifications/progress prompts/get resources/read tools/call",
  "inspector/wire/specification-page": "notifications/message",
  "inspector/wire/wire-record": "notifications/cancelled",
  "otel/otel": "initialize",
  "peer/peer": "notifications/cancelled notifications/progress",
  "peer/server-connection": "notifications/initialized ping",
  "server/context/asks": "elicitation/create roots/list sampling/createMessage",
  "server/context/call-context":
    "notifications/elicitation/complete notifications/message notifications/progress",
  "server/methods/open-subscription": "notifications/subscriptions/acknowledged",
  "server/methods/session": "initialize",
  "server/replay/ask-as-task": "tasks/cancel tasks/result",
  "server/replay/replay-ask-strategy": "elicitation/create",
  "server/tasks/task-call": "notifications/message notifications/progress tools/call",
  "server/tasks/worker/task-notifier": "notifications/tasks",
  "server/tasks/wait-for-result": "notifications/message notifications/progress notifications/tasks/status",
  // Badly behaved servers and clients, which send and answer by themselves.
  "testing/transcript/replay-to-server": "tasks/get",
  "testing/transcript/task-states": "notifications/tasks notifications/tasks/status",
  "testing/zoo/clients": "notifications/cancelled notifications/progress ping prompts/list tools/list",
  "testing/zoo/raw-client": "initialize notifications/initialized",
  "testing/zoo/scripted-server": "server/discover",
  "testing/zoo/servers":
    "elicitation/create notifications/progress notifications/tools/list_changed tools/call tools/list",
  "transports/http/client/recovery/listen-renewal": "notifications/subscriptions/acknowledged",
  "transports/http/client/recovery/session-renewal": "initialize notifications/initialized",
  "transports/http/client/shapes/streamable-http": "notifications/initialized",
  "transports/http/server/admission/admission": "initialize",
  "transports/http/server/session/http-session":
    "notifications/cancelled notifications/initialized notifications/progress",
  "transports/http/server/session/ping-client": "ping",
  // The ping of a WebSocket, which is not a method.
  "transports/websocket/pipe": "ping",
  "transports/websocket/websocket-like": "ping",
};

/** Words that a room does not know, in names and in texts: a transport carries messages, whatever they are about. */
const unknownWords: Readonly<Record<string, string>> = {
  transports: "tool tools",
  peer: "stdio socket sse port fetch tool tools",
  server: "stdio socket sse fetch",
};

/** The interfaces of what is kept. */
const stores = /^(?:State|(?:Session|Event|Value|Counter|Task)Store)$/;

/**
 * The files outside `state` and `testing` that implement a store: each passes on to one that keeps what it is given.
 * A value is checked by the room that makes it, never by a store that is made up for the check.
 */
const storesElsewhere = [
  "auth/authorization-server/proxy/proxy-issuer.ts",
  "cluster/session-shares.ts",
  "node/workers/remote-state.ts",
  "node/workers/session-copies.ts",
];

/** The handlers of a server, one for each method. */
const serverHandlers = "server/methods/handlers.ts";

/** Files whose exports carry the name of something else: a function that is loaded on demand, a word of the command line. */
const borrowedNames = ["node/lazy-load", "cli/verbs"];

/** Rows of equals, whose parts have the same names. */
const equals = /^(?:state\/(?:memory|nats|postgres|redis|sqlite)|platform\/\w+)\b/;

const maxLines = 400;
const maxFiles = 15;

interface Source {
  readonly path: string;
  readonly lines: number;
  readonly strings: readonly string[];
  /** The words of names and texts, in lower case: `maxBodyBytes` has three. */
  readonly words: ReadonlySet<string>;
  readonly listensToProcess: boolean;
  readonly implementsStore: boolean;
  /** The names that are declared here and exported; no re-exports. */
  readonly exports: ReadonlySet<string>;
  /** Paths below src, and package names as they are written. */
  readonly imports: readonly string[];
  /** Imports made by `import()` at run time, which load nothing until then. */
  readonly lazyImports: readonly string[];
}

const sources = new Map(readSources().map((source) => [source.path, source]));

describe("the layers of src", () => {
  test("every folder is a known room", () => {
    const folders = new Set([...sources.keys()].filter((path) => path.includes("/")).map(roomOf));
    expect([...folders].filter((folder) => !(folder in rooms))).toEqual([]);
  });

  test("a room imports only the rooms below it", () => {
    const wrong = edges().filter(
      ([from, to]) => sources.has(to) && from.includes("/") && !mayImport(roomOf(from)).some(holds(to)),
    );
    expect(show(wrong)).toEqual([]);
  });

  test("the client, the resource server and the authorization server of auth do not import each other", () => {
    const parts = ["auth/client", "auth/resource-server", "auth/authorization-server"];
    const partOf = (path: string) => parts.find((part) => path.startsWith(`${part}/`));
    const wrong = edges().filter(
      ([from, to]) => from.startsWith("auth/") && partOf(to) !== undefined && partOf(to) !== partOf(from),
    );
    expect(show(wrong)).toEqual([]);
  });

  test("Node built-ins are imported only by what a Node entry reaches", () => {
    const allowed = new Set(nodeEntries.flatMap((entry) => [...reachedFrom(entry)]));
    expect(show(edges().filter(([from, to]) => isBuiltIn(to) && !allowed.has(from)))).toEqual([]);
  });

  test.each(neutralEntries)("%s reaches no Node built-in, at once or later", (entry) => {
    expect(sources.has(entry)).toBe(true);
    const reached = reachedFrom(entry);
    expect(show(edges().filter(([from, to]) => isBuiltIn(to) && reached.has(from)))).toEqual([]);
  });

  test("a transport imports no other transport but the framing of lines", () => {
    const transportOf = (path: string) => /^transports\/([^/]+)/.exec(path)?.[1];
    const wrong = edges().filter(([from, to]) => {
      const [importer, imported] = [transportOf(from), transportOf(to)];
      return importer && imported && imported !== importer && imported !== "framing";
    });
    expect(show(wrong)).toEqual([]);
  });

  test.each(Object.entries(unknownWords))("%s does not know %s", (room, unknown) => {
    const known = [...sources.values()].flatMap(({ path, words }) =>
      unknown
        .split(" ")
        .flatMap((word) => (roomOf(path) === room && words.has(word) ? `${path}: ${word}` : [])),
    );
    expect(known).toEqual([]);
  });

  test("listeners of the process are installed only where a caller asked for them", () => {
    const listening = [...sources.values()].filter(({ path, listensToProcess }) => {
      return listensToProcess && !processListeners.some(holds(path));
    });
    expect(listening.map(({ path }) => path)).toEqual([]);
  });

  test("no file imports itself, directly or through others", () => {
    expect(findCycles()).toEqual([]);
  });

  test(`no file is longer than ${maxLines} lines`, () => {
    const long = [...sources.values()].filter(({ lines }) => lines > maxLines);
    expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  test(`no folder but that of the entries has more than ${maxFiles} files`, () => {
    const counts = new Map<string, number>();
    for (const path of sources.keys()) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([folder, count]) => folder !== "." && count > maxFiles)).toEqual([]);
  });

  test("an exported name has one meaning", () => {
    const exporters = new Map<string, string[]>();
    for (const { path, exports } of sources.values()) {
      if (borrowedNames.some(holds(path))) continue;
      for (const name of exports) exporters.set(name, [...(exporters.get(name) ?? []), path]);
    }
    const twice = [...exporters].filter(([, paths]) => paths.length > 1 && !areEquals(paths));
    expect(Object.fromEntries(twice)).toEqual({});
  });

  test("a store is implemented only where something is kept", () => {
    const implementing = [...sources.values()].filter(
      ({ path, implementsStore }) => implementsStore && !["state", "testing"].includes(roomOf(path)),
    );
    expect(implementing.map(({ path }) => path).sort()).toEqual(storesElsewhere);
  });

  test("only protocol names a revision by its date", () => {
    const naming = [...sources.values()].filter(({ path, strings }) => {
      return roomOf(path) !== "protocol" && strings.some((text) => /20\d\d-\d\d-\d\d/.test(text));
    });
    expect(naming.map(({ path }) => path)).toEqual([]);
  });

  test("only protocol, and files that send or answer a method, name it", () => {
    const naming = [...sources.values()].flatMap(({ path, strings }) => {
      const named = [...new Set(strings.filter((text) => methods.has(text)))].sort();
      if (named.length === 0 || roomOf(path) === "protocol" || path === serverHandlers) return [];
      return [[path.replace(/\.ts$/, ""), named.join(" ")]];
    });
    expect(Object.fromEntries(naming)).toEqual(methodUsers);
  });
});

function roomOf(path: string): string {
  return path.split("/")[0] as string;
}

function mayImport(room: string): string[] {
  return [room, ...(rooms[room] ?? "").split(" ")];
}

function holds(path: string): (room: string) => boolean {
  return (room) => path === `${room}.ts` || path.startsWith(`${room}/`);
}

function isBuiltIn(name: string): boolean {
  return name.startsWith("node:");
}

function areEquals(paths: readonly string[]): boolean {
  const rows = paths.map((path) => equals.exec(path)?.[0]);
  return !rows.includes(undefined) && new Set(rows).size === rows.length;
}

function edges(): [from: string, to: string][] {
  return [...sources.values()].flatMap(({ path, imports, lazyImports }) =>
    [...imports, ...lazyImports].map((to): [string, string] => [path, to]),
  );
}

function show(wrong: readonly (readonly [string, string])[]): string[] {
  return wrong.map(([from, to]) => `${from} imports ${to}`);
}

/** The files that an entry may load, at once or by `import()`. */
function reachedFrom(entry: string): Set<string> {
  const reached = new Set<string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const { imports = [], lazyImports = [] } = sources.get(path) ?? {};
    waiting.push(...imports, ...lazyImports);
  }
  return reached;
}

function findCycles(): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(" -> "));
    if (start >= 0 || done.has(path)) return;
    for (const next of sources.get(path)?.imports ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of sources.keys()) visit(path, []);
  return cycles;
}

function readSources(): Source[] {
  const names = readdirSync(src, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => readSource(name.replaceAll("\\", "/")));
}

function readSource(path: string): Source {
  const text = readFileSync(join(src, path), "utf8");
  const strings: string[] = [];
  const words = new Set<string>();
  const imports: string[] = [];
  const lazyImports: string[] = [];
  const exports = new Set<string>();
  let implementsStore = false;
  const visit = (node: ts.Node): void => {
    implementsStore ||= makesStore(node);
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) strings.push(node.text);
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node))
      for (const word of node.text.split(/(?=[A-Z])|[^A-Za-z]+/)) words.add(word.toLowerCase());
    for (const name of exportedBy(node)) exports.add(name);
    const specifier = importOf(node);
    if (specifier !== undefined)
      (ts.isCallExpression(node) ? lazyImports : imports).push(targetOf(path, specifier));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  const listensToProcess = /\bprocess\??\.(?:on|once|addListener|prependListener)\b/.test(text);
  const lines = text.trimEnd().split("\n").length;
  return { path, lines, strings, words, listensToProcess, implementsStore, exports, imports, lazyImports };
}

/** True for a class that implements a store, and for an object that is written out as one. */
function makesStore(node: ts.Node): boolean {
  if (ts.isHeritageClause(node)) return node.types.some(({ expression }) => namesStore(expression));
  if (ts.isSatisfiesExpression(node) || ts.isAsExpression(node) || ts.isVariableDeclaration(node)) {
    const value = ts.isVariableDeclaration(node) ? node.initializer : node.expression;
    return isStoreType(node.type) && value !== undefined && hasObject(value);
  }
  return ts.isFunctionLike(node) && isStoreType(node.type) && "body" in node && hasObject(node.body);
}

function isStoreType(type: ts.TypeNode | undefined): boolean {
  return type !== undefined && ts.isTypeReferenceNode(type) && namesStore(type.typeName);
}

function namesStore(name: ts.Node): boolean {
  return ts.isIdentifier(name) && stores.test(name.text);
}

/** True if a value, or the body of a function, is or returns an object that is written out. */
function hasObject(node: ts.Node | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isBlock(node))
    return node.statements.some(
      (statement) => ts.isReturnStatement(statement) && hasObject(statement.expression),
    );
  if (ts.isParenthesizedExpression(node)) return hasObject(node.expression);
  return ts.isObjectLiteralExpression(node);
}

/** The names that a declaration exports. */
function exportedBy(node: ts.Node): string[] {
  const isExported =
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  const declared = ts.isVariableStatement(node) ? node.declarationList.declarations : [node];
  return declared.flatMap((declaration) => {
    const { name } = declaration as ts.NamedDeclaration;
    return name && ts.isIdentifier(name) ? [name.text] : [];
  });
}

/** The module that a node names, when it is an import or a re-export of any kind. */
function importOf(node: ts.Node): string | undefined {
  const name =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
        ? node.argument.literal
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
  return name && ts.isStringLiteralLike(name) ? name.text : undefined;
}

function targetOf(from: string, specifier: string): string {
  if (specifier === "#platform") return "platform/web.ts";
  if (!specifier.startsWith(".")) return specifier;
  return relative(src, join(src, dirname(from), specifier)).replaceAll("\\", "/");
}
