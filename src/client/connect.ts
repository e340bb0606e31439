import type { Tap } from "../peer/channel.ts";
import { toCancelled } from "../peer/in-flight.ts";
import { CapabilityError } from "../protocol/errors.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { Supported } from "../protocol/negotiate.ts";
import { Arrivals } from "./arrivals.ts";
import { Asks } from "./asks.ts";
import { declareCapabilities } from "./capabilities.ts";
import { Client } from "./client.ts";
import { Notifications } from "./notifications.ts";
import { type Agreement, open } from "./open.ts";
import type { ConnectOptions } from "./options.ts";
import { callSafely, createReport, type Report } from "./problems.ts";
import { type Target, toTransport } from "./target.ts";
import type { ToolsOf } from "./typed-tools.ts";
import { KnownVerdict } from "./verdicts.ts";
import { packageVersion } from "./version.ts";

const defaultOpenMs = 60_000;
const defaultProbeMs = 2_500;

/**
 * Connects to a server in the newest revision that both speak.
 *
 * `connect<typeof server>(...)` makes names, arguments and results of its tools known to the
 * compiler, wherever the server runs. Whoever connects must close.
 */
export async function connect<Server = unknown>(
  target: Target,
  options: ConnectOptions = {},
): Promise<Client<ToolsOf<Server>>> {
  const { signal } = options;
  if (signal?.aborted) throw toCancelled("connect", signal.reason);
  const supported = new Supported(options.revisions);
  const speaker = {
    info: options.info ?? { name: "allspeak", version: packageVersion },
    capabilities: declareCapabilities(options),
  };
  const report = createReport(options.onProblem);
  const notifications = createNotifications(options, report);
  const arrivals = new Arrivals(notifications, report);
  const transport = await toTransport(target, options);
  const known = new KnownVerdict(transport.address, supported, options.verdicts);
  const agreement = await open({
    transport,
    arrivals,
    supported,
    speaker,
    signal,
    tap: createTap(options.onMessage, report),
    verdict: options.verdict ?? known.get(),
    openMs: options.openTimeout ?? defaultOpenMs,
    probeMs: options.probeTimeout ?? defaultProbeMs,
  }).catch((error: unknown) => {
    known.drop();
    throw error;
  });
  const asks = new Asks(options, speaker.capabilities, agreement);
  arrivals.agree({ revision: agreement.revision, asks });
  await confirm(agreement, options.requires ?? []);
  const { closed } = arrivals;
  const client = new Client<ToolsOf<Server>>({
    agreement,
    speaker,
    asks,
    notifications,
    report,
    closed,
    options,
  });
  known.keep(client.verdict);
  return client;
}

/** Ends the handshake, if there is one; a server that lacks what is required is left at once. */
async function confirm({ channel, revision, server }: Agreement, requires: readonly string[]): Promise<void> {
  try {
    for (const capability of requires) {
      if (!hasCapability(server.capabilities, capability))
        throw new CapabilityError(capability, "server", "This client");
    }
    if (revision.opening === "handshake") await channel.notify("notifications/initialized", {});
  } catch (error) {
    await channel.close();
    throw error;
  }
}

function createNotifications(options: ConnectOptions, report: Report): Notifications {
  const { onNotification, onLog, onReconnected } = options;
  const notifications = new Notifications(report);
  if (onNotification) notifications.listen(onNotification);
  if (onLog) notifications.listenToLog(onLog);
  if (onReconnected) notifications.listenToReconnections(onReconnected);
  return notifications;
}

function createTap(onMessage: ConnectOptions["onMessage"], report: Report): Tap | undefined {
  if (onMessage === undefined) return undefined;
  return (text, direction) => {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // Not a message; whoever reads it reports it.
      return;
    }
    callSafely(report, () => onMessage(message as Parameters<typeof onMessage>[0], direction));
  };
}
