import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

type Simulation = typeof import("./simulation.ts");

/**
 * The simulation with all that it runs in one file. A module that is loaded on demand would else come from the disk, in
 * a time that no seed decides.
 */
export async function loadSimulation(root: string): Promise<Simulation> {
  const folder = mkdtempSync(join(tmpdir(), "allspeak-simulation-"));
  const outfile = join(folder, "simulation.mjs");
  try {
    await build({
      entryPoints: [join(root, "test/support/simulation/simulation.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "silent",
      alias: {
        "#platform": join(root, "src/platform/node.ts"),
        "allspeak/client": join(root, "src/client.ts"),
        "allspeak/http": join(root, "src/http.ts"),
        allspeak: join(root, "src/index.ts"),
      },
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    });
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Simulation;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
