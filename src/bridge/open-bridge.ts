import type { Client } from "../client/client.ts";
import { connect } from "../client/connect/connect.ts";
import type { Target } from "../client/connect/target.ts";
import { CallForwarder } from "../client/forward/call-forwarder.ts";
import { createReport } from "../client/report.ts";
import type { Mount, Mountable } from "../contract/mount/mount.ts";
import { assertOptions } from "../contract/options.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import { CapabilityError, UsageError } from "../errors.ts";
import { toCapabilities } from "../protocol/model/identity.ts";
import { tasksExtension } from "../protocol/model/task.ts";
import { createServer } from "../server/create-server.ts";
import type { Server } from "../server/server.ts";
import { BridgeMount } from "./bridge-mount.ts";
import { MainConnection } from "./main-connection.ts";
import { type BridgeOptions, bridgeOptionKinds } from "./options.ts";
import { type ConnectUpstream, openUpstream } from "./upstream.ts";
import { UpstreamPool } from "./upstream-pool.ts";

/** A server behind a bridge. */
export interface Bridge extends Mountable, AsyncDisposable {
  /** The server value: serve it over any transport, in every revision. */
  readonly server: Server;
  /** The number of calls that run, or wait for answers. */
  readonly running: number;
  /** Closes all connections to the server behind the bridge. */
  close(): Promise<void>;
}

/**
 * Connects to a server of any revision, over any transport, to serve it again in every revision.
 *
 * Questions, progress, logs, cancellation and updates cross in both directions. `mount("maps", bridge)` offers it
 * beside others.
 */
export async function openBridge(target: Target, options: BridgeOptions = {}): Promise<Bridge> {
  if (target === undefined || target === null)
    throw new UsageError(
      'openBridge takes the server first: a URL, a command such as "node server.js", a server value or a transport.',
    );
  assertOptions("openBridge", options, bridgeOptionKinds);
  const report = createReport(options.connect?.onProblem);
  const connectUpstream: ConnectUpstream = (handlers) =>
    connect(target, { tasks: true, ...options.connect, ...handlers });
  const { client, requires } = await openMain(connectUpstream);
  const reopen = (signal: AbortSignal) =>
    openUpstream((handlers) => connectUpstream({ ...handlers, signal }), toCapabilities(requires));
  const exceptOwn = (event: ServerEvent): ServerEvent => pool.exceptOwn(event);
  const main = new MainConnection(client, { reopen, report, exceptOwn });
  const watches = (uri: string): boolean => main.watches(uri);
  const pool = new UpstreamPool({ ...options, connect: connectUpstream, report, watches });
  const forwarder = new CallForwarder(pool, report);
  const mount = new BridgeMount({ main, forwarder, pool, report });
  const mountable = { "~mount": (): Mount => mount };
  const close = async () => {
    forwarder.close();
    await Promise.all([pool.close(), main.close()]);
  };
  return {
    ...mountable,
    server: toServer(client, mountable, requires),
    get running() {
      return pool.running;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface OpenedMain {
  readonly client: Client;
  /** The capabilities that the server requires of its clients. */
  readonly requires: readonly string[];
}

/** Opens the connection for lists and changes. A server that requires capabilities sees them, and asks nobody over it. */
async function openMain(connectUpstream: ConnectUpstream): Promise<OpenedMain> {
  try {
    return { client: await openUpstream(connectUpstream), requires: [] };
  } catch (error) {
    if (!(error instanceof CapabilityError) || error.lackedBy !== "client") throw error;
    const requires = error.capabilities;
    return { client: await openUpstream(connectUpstream, toCapabilities(requires)), requires };
  }
}

/** The server value that describes itself as the server behind it does. */
function toServer(client: Client, mountable: Mountable, requires: readonly string[]): Server {
  const { info, instructions, capabilities } = client.server;
  const { experimental, logging } = capabilities;
  // The mount declares tasks, in the form of each revision.
  const { [tasksExtension]: _, ...extensions } = capabilities.extensions ?? {};
  const server = createServer({
    ...info,
    name: info?.name ?? "bridge",
    version: info?.version ?? "0",
    ...(instructions !== undefined && { instructions }),
    logging: logging !== undefined,
    requires,
    capabilities: {
      ...(Object.keys(extensions).length > 0 && { extensions }),
      ...(experimental && { experimental }),
    },
  });
  server.mount("", mountable);
  return server;
}
