import type { Client } from "../../client/client.ts";
import { connect } from "../../client/connect/connect.ts";
import type { Target } from "../../client/connect/target.ts";
import type { ConnectOptions, ConsentRequest } from "../../client/options.ts";
import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { httpTransport } from "../../transports/http/client/transport.ts";
import type { Caller } from "../caller.ts";
import type { ConfigInput } from "../config/host-config.ts";
import type { AskInput } from "../config/remember-inputs.ts";
import type { ResolvedServer } from "../config/resolve-server.ts";
import type { Credentials } from "../credentials.ts";
import type { HostOptions } from "../options.ts";
import type { ConfigApprovals, PlacedEntry } from "../trust/config-approval.ts";
import { inspectServer } from "../trust/inspect-server.ts";
import { type EntrySource, type ServerSpec, serverIdOf } from "./server-spec.ts";

export interface OpenClientParts {
  readonly options: HostOptions;
  readonly askInput: AskInput | undefined;
  readonly approvals: ConfigApprovals;
  readonly report: (problem: Error, serverName: string | undefined) => void;
  /** The callers of the calls that are being sent, by their arguments. */
  readonly callers: WeakMap<JsonObject, Caller>;
}

export interface OpenClientRequest {
  readonly spec: ServerSpec;
  /** The caller of all calls of the connection; empty where callers share it. */
  readonly caller: Caller;
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
  /** Options of `connect` that win over those of the host. */
  readonly own?: ConnectOptions | undefined;
}

const defaultMaxMessageBytes = 16 * 1024 * 1024;

/** Connects to a server that is approved, with its variables filled in. */
export async function openClient(parts: OpenClientParts, request: OpenClientRequest): Promise<Client> {
  const { spec, credentials } = request;
  return connect(await toTarget(parts, request), {
    ...toConnectOptions(parts, request),
    ...("target" in spec.source && credentials.headers && { headers: credentials.headers }),
    ...("target" in spec.source && credentials.auth && { auth: credentials.auth }),
    ...request.own,
  });
}

async function toTarget(parts: OpenClientParts, { spec, credentials }: OpenClientRequest): Promise<Target> {
  if ("target" in spec.source) return spec.source.target;
  const placed = await inspectEntry(parts, spec, spec.source);
  await parts.approvals.assertApproved(placed);
  return toEntryTarget(parts.options, spec, await placed.inspected.resolve(), credentials);
}

/** The entry of a server as it is now, with its inputs and files. */
export async function inspectEntry(
  { options: { env, workspaceFolder }, askInput }: Pick<OpenClientParts, "options" | "askInput">,
  { name, file }: ServerSpec,
  { entry, inputs }: EntrySource,
): Promise<PlacedEntry> {
  const known = new Map(inputs.map((input) => [input.id, input]));
  const input = askInput && ((asked: ConfigInput) => askInput(asked, file));
  const inspected = await inspectServer({ name, entry }, known, { env, workspaceFolder, input });
  return { server: name, file, entry, inspected };
}

function toEntryTarget(
  { maxMessageBytes = defaultMaxMessageBytes, fetch, onStderr }: HostOptions,
  { name }: ServerSpec,
  resolved: ResolvedServer,
  { headers, auth, env }: Credentials,
): Target {
  if (resolved.command !== undefined) {
    // The host restarts programs itself, with pauses, so that their state is known.
    const own = { restart: false, maxMessageBytes, env: { ...resolved.env, ...env } };
    const stderr = onStderr ? (line: string) => onStderr(line, name) : "pipe";
    return { ...resolved, ...own, stderr };
  }
  const joined = { ...resolved.headers, ...headers };
  if (/^https?:/i.test(resolved.url))
    return httpTransport(resolved.url, { headers: joined, auth, maxMessageBytes, ...(fetch && { fetch }) });
  if (auth) throw new UsageError("auth is for http and https; give headers for WebSockets.");
  return { url: resolved.url, headers: joined };
}

function toConnectOptions(
  parts: OpenClientParts,
  { spec, caller, signal }: OpenClientRequest,
): ConnectOptions {
  const { options } = parts;
  const { info, roots, pin, tasks, revisions, capabilities, timeout, openTimeout } = options;
  const { probeTimeout, ping, fetch, strict, checkOutput, elicit, sample, consent, onLog } = options;
  const serverName = spec.name;
  return {
    ...{ info, roots, pin, tasks, revisions, capabilities, timeout, openTimeout },
    ...{ probeTimeout, ping, strict, checkOutput, signal },
    ...(fetch && "target" in spec.source && { fetch }),
    serverId: serverIdOf(spec),
    onProblem: (problem) => parts.report(problem, serverName),
    ...(onLog && { onLog: (message) => onLog(message, serverName) }),
    ...(elicit && { elicit: (ask, context) => elicit(ask, { ...context, serverName, caller }) }),
    ...(sample && { sample: (ask, context) => sample(ask, { ...context, serverName, caller }) }),
    ...(consent && {
      consent: (call: ConsentRequest) =>
        consent({ ...call, serverName, caller: parts.callers.get(call.arguments) ?? caller }),
    }),
  };
}
