import type { Servable } from "allspeak/client";

/** The everything server of the examples, which the build puts into the package. */
export async function loadDemo(): Promise<Servable> {
  const { server } = await import("../../../examples/everything/server.ts");
  return server;
}
