// Runs a TypeScript program of this repository, built first when it is stale:
//   node scripts/run.js examples/everything/main.ts --stdio
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.js";

const [program, ...args] = process.argv.slice(2);
const compiled = new URL(`../build/${program.replace(/\.ts$/, ".js")}`, import.meta.url);

// Tests have built already; a build in their middle would take away the files that others of them run.
if (process.env.VITEST === undefined) await buildIfStale();
process.argv = [process.execPath, fileURLToPath(compiled), ...args];
await import(compiled.href);
