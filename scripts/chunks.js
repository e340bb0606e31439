// Decides which modules of dist/ share a chunk.
//
// Node takes about 0.3 ms for each file that it loads, so what every program loads at once lies in few files. Bundlers
// keep or drop files as a whole when they split a program, so what an entry exports beside that lies in files of its
// own. And a part that is loaded on demand must not bring along what its program does not need: a module joins a
// chunk only if every entry that may ever load the module loads that chunk anyway. The rest is left to rolldown, which
// makes a chunk for each set of users.
import { join, relative } from "node:path";

/** The module that every program of an entry needs, with all that it imports. */
const cores = {
  index: "server/create-server.ts",
  client: "client.ts",
  http: "transports/http/server/fetch/fetch-handler.ts",
  node: "node/serve/serve-stdio.ts",
};

/** Returns a function that names the chunk of a module; `entries` are the modules of package.json, by name. */
export function createChunkNames(source, entries) {
  const starts = Object.fromEntries(Object.entries(cores).map(([name, path]) => [name, join(source, path)]));
  const isEntry = new Set(Object.values(entries));
  const exporters = new Set(Object.keys(cores).map((name) => entries[name]));
  const chunkOf = (id) => relative(source, id).replace(/\.ts$/, "").replaceAll(/[\\/]/g, "-");
  let reach;
  return (id, graph) => {
    reach ??= {
      core: walkAll(starts, graph, staticImports),
      atOnce: walkAll(entries, graph, staticImports),
      ever: walkAll(entries, graph, allImports),
    };
    if (isEntry.has(id) || !id.startsWith(source)) return null;
    const core = reach.core.get(id);
    const name = core && nameOf(core, reach.atOnce.get(id), reach.ever.get(id));
    if (name) return name;
    const isExported = graph.getModuleInfo(id).importers.some((importer) => exporters.has(importer));
    if (isExported) return chunkOf(id);
    // Else rolldown would put it into the entry, and parts that are loaded later would add exports there.
    const [entry, ...others] = reach.ever.get(id);
    const atOnce = others.length > 0 ? [...(reach.atOnce.get(id) ?? [])].join() : "";
    if (atOnce === "testing") return chunkOf(id);
    if (atOnce === "gateway") return "gateway-shared";
    return others.length === 0 && entry in cores && reach.atOnce.has(id) ? `${entry}-parts` : null;
  };
}

const staticImports = ({ importedIds }) => importedIds;
const allImports = ({ importedIds, dynamicallyImportedIds }) => [...importedIds, ...dynamicallyImportedIds];

/** Names a chunk by the entries whose core has a module, those that load it at once, and those that ever may. */
function nameOf(core, atOnce, ever) {
  const onlyFor = (...names) => [...ever].every((name) => names.includes(name));
  if (core.has("index")) {
    if (core.has("client")) return "protocol";
    if (onlyFor("index", "http", "node", "tasks", "bridge", "gateway", "testing")) return "server";
    return ever.has("client") ? "schema" : "state";
  }
  // The host, the bridge, the gateway and the testing kit have the whole client in them.
  if (core.has("client") && onlyFor("client", "host", "bridge", "gateway", "testing")) return "client";
  if (core.has("http") && onlyFor("http", "node")) return atOnce.has("node") ? "connection" : "http";
  // The servers of the testing kit can be served over stdio.
  if (core.has("node") && onlyFor("node", "testing")) return "node";
  return null;
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
  for (const [name, id] of Object.entries(starts)) walk(id, name);
  return reached;
}
