import { toCancelled, untilAborted } from "../../contract/cancelled-error.ts";
import type { Tap } from "../../contract/channel.ts";
import { assertOptions } from "../../contract/options.ts";
import { assertPingOptions, type PingOptions } from "../../contract/ping.ts";
import { observeSending } from "../../contract/telemetry.ts";
import { openDebugLog } from "../../debug/debug-log.ts";
import { CapabilityError, UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import { SupportedRevisions } from "../../protocol/negotiate.ts";
import type { Agreement } from "../agreement.ts";
import { Client, type ClientOf } from "../client.ts";
import type { PromptsOf } from "../features/prompt-types.ts";
import type { ResourcesOf } from "../features/resource-types.ts";
import type { ToolsOf } from "../features/tool-types.ts";
import { Asks } from "../incoming/asks.ts";
import type { RequestHandlers } from "../incoming/custom-request-handler.ts";
import type { CustomRequests } from "../incoming/custom-requests.ts";
import { Notifications } from "../incoming/notifications.ts";
import type { ReceivedTasks, ReceivedTasksParts } from "../incoming/received-tasks.ts";
import { ClientReceiver } from "../incoming/receiver.ts";
import { type ConnectOptions, connectOptionKinds } from "../options.ts";
import { callSafely, createReport, type Report } from "../report.ts";
import type { RequestHeaderMiddleware, RequestHeaderParts } from "../request-headers.ts";
import type { CallOptions } from "../requests.ts";
import { declareCapabilities } from "./declare-capabilities.ts";
import { KnownServer } from "./known-servers.ts";
import { type NegotiationPlan, negotiateConnection } from "./negotiate.ts";
import { withOpenTimeout } from "./open-timeout.ts";
import { packageVersion } from "./package-version.ts";
import { toServerId } from "./server-id.ts";
import { type Target, toTransport } from "./target.ts";

interface Settled {
  readonly agreement: Agreement;
  readonly asks: Asks;
}

const defaultOpenMs = 60_000;
const defaultProbeMs = 2_500;

/**
 * Connects to a server in the newest revision that both speak.
 *
 * `connect<typeof server>(...)` makes its tools, prompts and resources known to the compiler, wherever the server
 * runs. Whoever connects must close.
 */
export async function connect<Server = unknown>(
  target: Target,
  options: ConnectOptions = {},
): Promise<ClientOf<Server>> {
  assertConnectOptions(options);
  const { signal, telemetry } = options;
  const supported = new SupportedRevisions(options.revisions);
  const customRequests = options.onRequest && (await compileRequests(options.onRequest));
  const profile = {
    info: options.info ?? { name: "allspeak", version: packageVersion },
    capabilities: declareCapabilities(options),
  };
  const report = createReport(options.onProblem);
  const notifications = createNotifications(options, report);
  const receiver = new ClientReceiver(notifications, report, telemetry);
  const transport = await toTransport(target, options);
  const known = new KnownServer(transport.address, supported, options.hints);
  const openMs = options.openTimeout ?? defaultOpenMs;
  const probeMs = options.probeTimeout ?? defaultProbeMs;
  const hint = options.hint ?? known.get();
  const parts = { transport, receiver, ...createTaps(options, report), telemetry };
  const { agreement, asks } = await withOpenTimeout(openMs, signal, (clock) =>
    settle({ ...parts, customRequests, supported, profile, hint, openMs, probeMs, ...clock }, options),
  ).catch((error: unknown) => {
    known.drop();
    throw error;
  });
  const { closed } = receiver;
  const serverId = options.serverId ?? (await toServerId(target, transport, agreement.server.info));
  const client = new Client<ToolsOf<Server>, PromptsOf<Server>, ResourcesOf<Server>>({
    agreement,
    profile,
    asks,
    notifications,
    report,
    closed,
    headers: await createRequestHeaders(agreement, { notifications, report, timeout: options.timeout }),
    options,
    to: transport,
    serverId,
  });
  telemetry?.connect(agreement.server.revision, transport, closed);
  known.keep(client.hint);
  if (options.ping) await startPings(options.ping, client, agreement, report);
  return client;
}

function assertConnectOptions(options: ConnectOptions): void {
  assertOptions("connect", options, connectOptionKinds);
  const { signal, info, ping } = options;
  if (info && !(info.name && info.version)) throw new UsageError("connect: info needs a name and a version.");
  if (signal?.aborted) throw toCancelled("connect", signal.reason);
  assertPingOptions(ping);
}

/** Few hosts want pings, and the others do not load them. */
async function startPings(
  options: PingOptions,
  client: { readonly closed: Promise<Error>; ping(options: CallOptions): Promise<void> },
  { channel }: Agreement,
  report: Report,
): Promise<void> {
  const { Pings } = await import("../../peer/pings.ts");
  const pings = new Pings(options, {
    ping: (ms) => client.ping({ timeout: { idle: ms, total: ms }, retry: false }),
    onProblem: report,
    close: (reason) => channel.close(reason),
  });
  void client.closed.then(() => pings.stop());
}

/** Few hosts answer custom requests, and the others load no schema compiler. */
async function compileRequests(handlers: RequestHandlers): Promise<CustomRequests> {
  const { createCustomRequests } = await import("../incoming/custom-requests.ts");
  return createCustomRequests(handlers);
}

interface SettlePlan extends NegotiationPlan {
  readonly customRequests: CustomRequests | undefined;
}

/** Negotiates a revision, and confirms the handshake if the revision has one. */
async function settle(plan: SettlePlan, options: ConnectOptions): Promise<Settled> {
  const agreement = await negotiateConnection(plan);
  const { channel, revision, server } = agreement;
  const { capabilities } = plan.profile;
  const notify = (method: string, params: JsonObject) =>
    observeSending(
      plan.telemetry,
      { method, params, revision: revision.version, to: plan.transport },
      (sent) => channel.notify(method, sent),
    );
  const asks = await Asks.create({ handlers: options, capabilities, agreement, custom: plan.customRequests });
  plan.receiver.agree({ revision, asks, tasks: await receiveTasks(plan, agreement, { asks, notify }) });
  try {
    // A server that lacks what is required is left at once.
    for (const capability of options.requires ?? []) {
      if (!hasCapability(server.capabilities, capability))
        throw new CapabilityError(capability, "server", "This client");
    }
    if (revision.opening === "handshake")
      await untilAborted(notify("notifications/initialized", {}), "connect", plan.signal);
  } catch (error) {
    await channel.close();
    throw error;
  }
  return { agreement, asks };
}

/** The tasks of this client, if the server may put its questions as tasks; else the code is not loaded. */
async function receiveTasks(
  { receiver, profile }: NegotiationPlan,
  { revision }: Agreement,
  { asks, notify }: Pick<ReceivedTasksParts, "asks" | "notify">,
): Promise<ReceivedTasks | undefined> {
  const { capabilities } = profile;
  if (revision.tasks !== "by-sender" || capabilities.tasks === undefined) return undefined;
  const { ReceivedTasks } = await import("../incoming/received-tasks.ts");
  const tasks = new ReceivedTasks({
    revision,
    capabilities,
    asks,
    notify,
    toRpcError: (method, error, signal) => receiver.toRpcError(method, error, signal),
  });
  void receiver.closed.then(() => tasks.close());
  return tasks;
}

/** Loaded when needed: over a pipe, requests have no headers. */
async function createRequestHeaders(
  { channel, revision }: Agreement,
  parts: Omit<RequestHeaderParts, "revision">,
): Promise<RequestHeaderMiddleware | undefined> {
  if (!channel.carriesHeaders) return undefined;
  const { RequestHeaderMiddleware } = await import("../request-headers.ts");
  return new RequestHeaderMiddleware({ revision, ...parts });
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
      // Not JSON; the peer reports it.
      return;
    }
    callSafely(report, () => onMessage(message as Parameters<typeof onMessage>[0], direction));
  };
}

function createTextTap(onText: Tap | undefined, report: Report): Tap | undefined {
  return onText && ((text, direction) => callSafely(report, () => onText(text, direction)));
}

/** The listeners to what goes over the wire: the debug log, and those of the host. */
function createTaps(options: ConnectOptions, report: Report): Pick<NegotiationPlan, "tap" | "showHead"> {
  const showHead = openDebugLog("client", options.debug)?.show;
  const taps = joinTaps(createTextTap(options.onText, report), createTap(options.onMessage, report));
  return { tap: joinTaps(showHead, taps), showHead };
}

function joinTaps(first: Tap | undefined, second: Tap | undefined): Tap | undefined {
  if (!first || !second) return first ?? second;
  return (text, direction) => {
    first(text, direction);
    second(text, direction);
  };
}
