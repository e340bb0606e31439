import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { createServer } from "allspeak";
import type { Servable } from "allspeak/client";

/** The parts of the library that meet a server value. */
export interface Library {
  readonly connect: typeof import("allspeak/client").connect;
  readonly openBridge: typeof import("allspeak/bridge").openBridge;
  readonly serveHttp: typeof import("allspeak/node").serveHttp;
  readonly serveStdio: typeof import("allspeak/node").serveStdio;
}

/**
 * The library that a server value was made with. A command that is installed for all projects has a copy of its own,
 * and two copies do not know each other's errors.
 */
export async function libraryOf(server: Servable, file: string): Promise<Library> {
  const own = createServer({ name: "own", version: "0" });
  const isOwn = Object.getPrototypeOf(server) === Object.getPrototypeOf(own);
  const find = (name: string) => (isOwn ? undefined : resolveFrom(file, name));
  const [client, node] = [find("allspeak/client"), find("allspeak/node")];
  const { connect } = (client ? await import(client) : await import("allspeak/client")) as Library;
  const { serveHttp, serveStdio } = (node ? await import(node) : await import("allspeak/node")) as Library;
  const openBridge: Library["openBridge"] = async (...given) => {
    const bridge = find("allspeak/bridge");
    const library = (bridge ? await import(bridge) : await import("allspeak/bridge")) as Library;
    return library.openBridge(...given);
  };
  return { connect, openBridge, serveHttp, serveStdio };
}

function resolveFrom(file: string, name: string): string | undefined {
  try {
    return pathToFileURL(createRequire(file).resolve(name)).href;
  } catch {
    // The value comes from elsewhere.
    return undefined;
  }
}
