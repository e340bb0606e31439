import type { Server } from "allspeak";

// Loaded one by one, because a process needs only one of them.
const loaders = {
  full: () => import("./full.ts"),
  paged: () => import("./paged.ts"),
  guarded: () => import("./guarded.ts"),
  bare: () => import("./bare.ts"),
  demanding: () => import("./demanding.ts"),
  mounting: () => import("./mounts.ts"),
  libraries: () => import("./schema-libraries.ts"),
  "straight-line": () => import("./replay.ts"),
  working: () => import("./tasks.ts"),
};

/** The server values that the tests talk to. */
export type FixtureName = keyof typeof loaders;

/** One and the same value for each name, within a process. */
export async function loadServer(name: FixtureName): Promise<Server<unknown>> {
  return (await loaders[name]()).server;
}
