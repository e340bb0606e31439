import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../../package/paths.ts";
import { createTemporaryFolder } from "../temporary-folder.ts";
import { findRuntime, type Running, startProgram } from "./runtime.ts";

export const workerd: string | undefined = findRuntime("workerd");

export interface WorkerOptions {
  readonly compatibilityDate: string;
  /** The isolates among which requests are distributed in turn. Default: one. */
  readonly isolates?: number;
  /** The class of the Durable Objects that are bound as `SESSIONS`. */
  readonly objects?: string;
}

export interface RunningWorker extends Running {
  readonly origin: string;
}

/** Runs a program in the real workerd, bundled as workers are. */
export async function startWorker(program: string, options: WorkerOptions): Promise<RunningWorker> {
  const folder = createTemporaryFolder();
  await build({
    stdin: { contents: program, resolveDir: `${root}/test/runtimes`, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker"],
    tsconfigRaw: {},
    outfile: join(folder, "worker.js"),
    logLevel: "silent",
  });
  writeFileSync(join(folder, "router.js"), router);
  writeFileSync(join(folder, "config.capnp"), toConfig(options));
  const args = ["serve", join(folder, "config.capnp"), "--control-fd=3"];
  const running = startProgram(workerd ?? "workerd", args);
  const event = await running.control.next();
  const { port } = JSON.parse(event.startsWith("{") ? event : "{}") as { port?: number };
  if (port === undefined) throw new Error(`workerd did not start: ${event}`);
  return { ...running, origin: `http://127.0.0.1:${port}` };
}

const router = `
let turn = 0;
export default { fetch: (request, env) => Object.values(env)[turn++ % Object.keys(env).length].fetch(request) };
`;

function toConfig({ compatibilityDate, isolates = 1, objects }: WorkerOptions): string {
  const names = Array.from({ length: isolates }, (_, index) => `isolate${index}`);
  const services = names.map((name) => `(name = "${name}", worker = .${name})`);
  const bindings = names.map((name) => `(name = "${name}", service = "${name}")`);
  const objectSettings = objects
    ? `durableObjectNamespaces = [(className = "${objects}", uniqueKey = "sessions")],
       durableObjectStorage = (inMemory = void),
       bindings = [(name = "SESSIONS", durableObjectNamespace = "${objects}")],`
    : "";
  const workers = names.map(
    (name) => `const ${name} :Workerd.Worker = (
      modules = [(name = "${name}", esModule = embed "worker.js")],
      compatibilityDate = "${compatibilityDate}",
      ${objectSettings}
    );`,
  );
  return `
    using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "router", worker = .router), ${services.join(", ")}],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "router")],
    );
    const router :Workerd.Worker = (
      modules = [(name = "router", esModule = embed "router.js")],
      compatibilityDate = "${compatibilityDate}",
      bindings = [${bindings.join(", ")}],
    );
    ${workers.join("\n")}
  `;
}
