/// <reference lib="esnext.disposable" preserve="true" />
import { packageVersion } from "../client/connect/package-version.ts";
import { callSafely, createReport } from "../client/report.ts";
import type { Call } from "../contract/call.ts";
import type { Mount } from "../contract/mount/mount.ts";
import { assertOptions } from "../contract/options.ts";
import { openHost } from "../host/host.ts";
import { assertHostOptions, type HostOptions } from "../host/options.ts";
import type { HostServer } from "../host/server/managed-server.ts";
import { invalidRequest } from "../protocol/wire-error.ts";
import { createServer } from "../server/create-server.ts";
import type { Server } from "../server/server.ts";
import { GatewayMount } from "./gateway-mount.ts";
import { type GatewayOptions, gatewayOptionKinds } from "./options.ts";
import { ReportOnce } from "./report-once.ts";
import { ServerRoutes } from "./server-routes.ts";

/** Many servers behind one. */
export interface Gateway extends AsyncDisposable {
  /** The server value: serve it over any transport, in every revision. */
  readonly server: Server;
  /** The servers behind it, with their states; one that is held back is let in by its `approve`. */
  readonly servers: readonly HostServer[];
  /** The server of a tool, and its own name there; undefined until its server was listed. */
  find(name: string): { readonly server: string; readonly tool: string } | undefined;
  /** Reads the files again; ends only what changed. */
  reload(): Promise<void>;
  /** Closes all connections and ends all programs. */
  close(): Promise<void>;
}

/**
 * Opens a gateway: the servers of a host's file behind one endpoint, in every revision.
 *
 * Servers start with their first use. One that is slow, hangs, fails or attacks takes nothing from the others.
 * Whoever opens a gateway must close it.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  assertHostOptions("openGateway", options);
  assertOptions("openGateway", options, gatewayOptionKinds);
  const { info, instructions, audit, onProblem, onRecovered } = options;
  const warn = createReport();
  const reports = new ReportOnce((problem, server) =>
    onProblem ? callSafely(warn, () => onProblem(problem, server)) : warn(problem),
  );
  const report = (problem: Error, server?: string) => reports.add(problem, server);
  const host = await openHost({ ...toHostOptions(options), onProblem: report });
  const onConnected = (name: string) => {
    if (reports.onReady(name) && onRecovered) callSafely(report, () => onRecovered(name));
  };
  host.onState(({ name, state }) => state === "ready" && onConnected(name));
  const calls = new WeakMap<object, Call>();
  const routes = new ServerRoutes({ host, options, calls, report, onConnected });
  const record = audit && ((entry: Parameters<typeof audit>[0]) => callSafely(report, () => audit(entry)));
  const mount = new GatewayMount({ routes, calls, audit: record });
  const server = createServer({
    ...info,
    name: info?.name ?? "gateway",
    version: info?.version ?? packageVersion,
    instructions,
  });
  server.mount("", { "~mount": (): Mount => mount });
  const close = async () => {
    await routes.close();
    await host.close();
  };
  return {
    server,
    get servers() {
      return host.servers;
    },
    find: (name) => {
      const found = host.find(name);
      return found && { server: found.server, tool: found.tool.name };
    },
    reload: () => host.reload(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The host has one connection to each server, for its lists. Callers have others, with their own answers. */
function toHostOptions(options: GatewayOptions): HostOptions {
  const { info, instructions, isolation, consent, audit, onRecovered, ...shared } = options;
  const { maxConnections, idleMs, maxRunning, ...others } = shared;
  const refuse = () => {
    throw invalidRequest("Nobody can answer: the question belongs to no call.");
  };
  return {
    ...others,
    // Some servers list a tool only for clients that can answer what it asks.
    elicit: refuse,
    sample: refuse,
    roots: [],
    capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} } },
    tasks: true,
    maxConnections: Number.MAX_SAFE_INTEGER,
  };
}
