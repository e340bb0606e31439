// Decides which modules of dist/ share a chunk.
//
// A file costs Node about as much as 10 KB of code. So what a program loads at once lies in few files, with little in
// them that it does not use: a chunk for each set of main entries that load the same modules. Bundlers leave out what a
// program does not use of a chunk. A client must not load a server for a part that it comes to need, so such parts
// have a chunk of their own, and a server loads no client. A small module that such parts share is not worth a file:
// it lies in a chunk that all of them have loaded before. Parts that are needed together share a chunk. The rest is
// left to rolldown, which makes a chunk for each set of users.
import { join, relative } from "node:path";

/** A module of fewer bytes is not worth a file. */
const smallBytes = 3_000;

/** The part that a server over HTTP loads at its start. */
const serveHttpPart = "node/serve/serve-http.ts";

/** Parts that most servers over HTTP load. */
const httpParts = [serveHttpPart, "transports/http/server/session/session-endpoint.ts"];

/** The part that servers load with their first arguments, and clients with the first schema of a server. */
const validatorPart = "schema/validator/validator.ts";

/** The part that clients load when they connect, and servers with their first request to a client. */
const clientPeerPart = "peer/client-peer.ts";

/** The part that servers load with the first body that comes in pieces. What it shares with hosts and sessions is not worth a file. */
const unfinishedPart = "transports/http/server/request/unfinished-budget.ts";

/** The entries that a program loads for itself. */
const mainEntries = ["index", "http", "node", "client", "platform/node"];

/** The part that keeps the tasks of a server in memory. */
const memoryTasksPart = "state/memory/tasks.ts";

/** The parts that a server loads together: with its first question, its first task, the first run of one, and so on. */
const partsByChunk = {
  state: ["server/state-for.ts"],
  mounts: [
    "server/answer-mounted.ts",
    "server/catalog/mounted-requests.ts",
    "server/methods/tools/mounted-tools.ts",
  ],
  questions: ["server/context/asks.ts", "server/replay/assert-may-ask.ts", "server/replay/round-state.ts"],
  "server-tasks": ["server/tasks/task-or-result.ts", "server/methods/tasks.ts"],
  "task-runs": ["server/tasks/worker/task-execution.ts", "server/tasks/wait-for-result.ts"],
};

/** Returns a function that names the chunk of a module; `entries` are the modules of package.json, by name. */
export function createChunkNames(source, entries) {
  const isEntry = new Set(Object.values(entries));
  // Every client loads JSON-RPC when it connects.
  const starts = [...Object.entries(entries), ["client", join(source, "peer", "peer.ts")]];
  let reach;
  return (id, graph) => {
    if (isEntry.has(id) || !id.startsWith(source)) return null;
    reach ??= {
      atOnce: walkAll(starts, graph, staticImports),
      ever: walkAll(starts, graph, allImports),
      later: walkAll(laterStarts(starts, source, graph), graph, staticImports),
    };
    const atOnce = reach.atOnce.get(id) ?? new Set();
    const ever = reach.ever.get(id);
    const later = reach.later.get(id) ?? new Set();
    if (later.has(validatorPart) && !mainEntries.some((entry) => atOnce.has(entry))) return "validator";
    if (later.has(clientPeerPart) && atOnce.size === 0) return "client-peer";
    if (later.has(clientPeerPart) && atOnce.has("client")) return "protocol";
    if (later.has(unfinishedPart) && id !== join(source, unfinishedPart)) return "protocol";
    if (later.has(memoryTasksPart) && atOnce.size === 0) return "server-tasks";
    const isShared = atOnce.size + later.size > 1;
    if (isShared && isSmallLeaf(id, source, graph)) {
      const isPlain = id.startsWith(join(source, "lib"));
      const isOfHttp = atOnce.has("http") || httpParts.some((part) => later.has(part));
      const isOfBothSides = atOnce.has("client") && mayBeServer(ever);
      if (mayBeClient(ever) && (atOnce.has("index") ? isPlain : isOfHttp || isOfBothSides)) return "protocol";
      if (isOfHttp && atOnce.size === 0) return "server";
      // Entries of stores load it, too.
      if (isOfHttp && isPlain && !atOnce.has("http")) return "protocol";
      // In a browser, too: "stdio" leads to built-ins of Node.
      if (isPlain && atOnce.has("node") && ever.has("client")) return "protocol";
    }
    const name =
      nameOf(atOnce, ever, { isShared, isOfServer: later.has(serveHttpPart) }) ??
      nameOfPart(atOnce, ever, later);
    if (name || ever.size === 1) return name;
    // Else rolldown would put it into the entry, and parts that are loaded later would add exports there.
    const [only, ...others] = atOnce;
    if (others.length > 0) return null;
    if (only === "testing") return relative(source, id).replace(/\.ts$/, "").replaceAll(/[\\/]/g, "-");
    return only === "gateway" ? "gateway-shared" : null;
  };
}

const staticImports = ({ importedIds }) => importedIds;
const laterImports = ({ dynamicallyImportedIds }) => dynamicallyImportedIds;
const allImports = (module) => [...staticImports(module), ...laterImports(module)];

const mayBeClient = (ever) => ever.has("client") || ever.has("platform/node");
const mayBeServer = (ever) => ever.has("index") || ever.has("http");

/** True for a small module that leans on nothing but `lib` and `errors`. */
function isSmallLeaf(id, source, graph) {
  const { code, importedIds } = graph.getModuleInfo(id);
  const leansOn = (room) =>
    importedIds.every((path) => room.some((name) => path.startsWith(join(source, name))));
  return code.length < smallBytes && leansOn(["lib", "errors"]);
}

/**
 * Names a chunk by the main entries that load a module at once, and by those that ever may. Whatever a module
 * imports is reached by at least the same entries, so chunks never import each other in a circle. Only `node` and
 * `stdio` lead to built-ins of Node: some bundlers follow each `import()` of a file, whether it is used or not.
 */
function nameOf(atOnce, ever, { isShared, isOfServer }) {
  const [index, http, node, platform] = ["index", "http", "node", "platform/node"].map((name) =>
    atOnce.has(name),
  );
  if (atOnce.has("client") || (platform && (index || http)))
    return index || http || node ? "protocol" : "client";
  // Most clients come to need it, with the first schema of a server, and a file less is worth more to every server.
  if (index || (http && node)) return mayBeClient(ever) ? "protocol" : "server";
  if (http && mayBeClient(ever)) return "http-shared";
  // What the entry alone needs lies in the entry.
  if (http && !isShared) return null;
  // A server over HTTP loads the rest later: with a session, or with a state that it is given.
  if (http && !isOfServer) return "state";
  if (http) return ever.has("index") ? "server" : "http";
  if (node) return isShared ? "stdio" : null;
  return null;
}

/** Names the chunk of a part that servers load later; clients load what they share of it without the rest. */
function nameOfPart(atOnce, ever, later) {
  if (mainEntries.some((entry) => atOnce.has(entry))) return null;
  const [name] =
    Object.entries(partsByChunk).find(([, parts]) => parts.some((part) => later.has(part))) ?? [];
  if (name === undefined) return null;
  if (mayBeClient(ever)) return `${name}-shared`;
  if ([...atOnce].some((entry) => entry !== "tasks")) return null;
  return ever.has("http") ? "state" : name;
}

/** The modules that are loaded later, each under its path. */
function laterStarts(starts, source, graph) {
  const reached = walkAll(starts, graph, allImports).keys();
  const ids = [...reached].flatMap((id) =>
    laterImports(graph.getModuleInfo(id) ?? { dynamicallyImportedIds: [] }),
  );
  return ids.map((id) => [relative(source, id).replaceAll("\\", "/"), id]);
}

/** The names of the starts that reach each module. */
function walkAll(starts, graph, importsOf) {
  const reached = new Map();
  const walk = (id, name) => {
    const names = reached.get(id) ?? new Set();
    if (names.has(name)) return;
    reached.set(id, names.add(name));
    const module = graph.getModuleInfo(id);
    for (const next of module ? importsOf(module) : []) walk(next, name);
  };
  for (const [name, id] of starts) walk(id, name);
  return reached;
}
