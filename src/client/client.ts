/// <reference lib="esnext.disposable" preserve="true" />
import type { Timeout } from "../contract/deadline.ts";
import type { Mountable } from "../contract/mount/mount.ts";
import { assertFunction, assertOptions } from "../contract/options.ts";
import type { PromptTypes, ToolTypes } from "../contract/server-types.ts";
import type { Destination } from "../contract/telemetry.ts";
import { type AuthHop, CapabilityError } from "../errors.ts";
import { OnDemand } from "../lib/async/on-demand.ts";
import { settlesWithin } from "../lib/async/wait-at-most.ts";
import type { JsonObject } from "../lib/json.ts";
import { methods } from "../protocol/method-table.ts";
import type { Completion, CompletionReference } from "../protocol/model/completion.ts";
import { hasCapability } from "../protocol/model/identity.ts";
import { assertLogLevel, type LogLevel } from "../protocol/model/logging.ts";
import type { Agreement, ServerDescription } from "./agreement.ts";
import type { ServerHint } from "./connect/known-servers.ts";
import { toCompletion } from "./features/completion.ts";
import type { AnyPrompts, ClientPrompts, Gets, PromptsOf } from "./features/prompt-types.ts";
import { UntypedPrompts } from "./features/prompts.ts";
import type { ClientResources, ResourcesOf } from "./features/resource-types.ts";
import { UntypedResources } from "./features/resources.ts";
import { ClientTasks } from "./features/tasks.ts";
import type { AnyTools, Calls, ClientTools, ToolsOf } from "./features/tool-types.ts";
import { UntypedTools } from "./features/tools.ts";
import { ValidItems } from "./features/valid-items.ts";
import type { MountableClient } from "./forward/mountable-client.ts";
import { MountedClient } from "./forward/mounted-client.ts";
import type { RunningCalls } from "./forward/running-calls.ts";
import type { Asks } from "./incoming/asks.ts";
import type { ChangeListener, NotificationListener, Notifications } from "./incoming/notifications.ts";
import type { ClientMiddleware } from "./middleware.ts";
import type { ConnectOptions, RootList } from "./options.ts";
import { callSafely, type Report } from "./report.ts";
import type { RequestHeaderMiddleware } from "./request-headers.ts";
import type { ClientProfile } from "./request-meta.ts";
import { type CallOptions, type RawRequestOptions, Requests } from "./requests.ts";
import { Rounds } from "./rounds.ts";
import {
  type Subscription,
  type SubscriptionFilter,
  subscriptionFilterKinds,
} from "./subscriptions/subscription.ts";
import type { Subscriptions } from "./subscriptions/subscriptions.ts";
import { throttleChanges } from "./subscriptions/throttle-changes.ts";

/** The parts of a client, once the two sides have agreed on a revision. */
export interface ClientParts {
  readonly agreement: Agreement;
  readonly profile: ClientProfile;
  readonly asks: Asks;
  readonly notifications: Notifications;
  readonly report: Report;
  readonly closed: Promise<Error>;
  /** Gives requests their headers, where the channel carries them. */
  readonly headers?: RequestHeaderMiddleware | undefined;
  readonly options: ConnectOptions;
  /** The way to the server, for those who observe requests. */
  readonly to?: Destination | undefined;
  /** The key under which consent and pins of the server are remembered. */
  readonly serverId: string;
}

/** The time that a client gives to requests that cancel tasks before it closes. */
const cancelMs = 1_000;

/** The client of a server value's type, as `connect<typeof server>` returns it. */
export type ClientOf<Server> = Client<ToolsOf<Server>, PromptsOf<Server>, ResourcesOf<Server>>;

/** A connection to one server. */
export class Client<
  Tools extends ToolTypes = AnyTools,
  Prompts extends PromptTypes = AnyPrompts,
  Uris extends string = string,
> implements Mountable, AsyncDisposable
{
  readonly server: ServerDescription;
  /** A finding about the server; JSON, for the `hint` option of the next `connect`. */
  readonly hint: ServerHint;
  readonly tools: ClientTools<Calls<Tools>>;
  readonly resources: ClientResources<Uris>;
  readonly prompts: ClientPrompts<Gets<Prompts>>;
  /** Tasks of the server: work that goes on after the call that began it. */
  readonly tasks: ClientTasks;
  /** Explains how the `auth` option obtained credentials: each step with its outcome, without secrets. */
  readonly auth: { explain(): readonly AuthHop[] };
  /** Resolves with the reason when the connection has closed, on either side. Never rejects. */
  readonly closed: Promise<Error>;
  readonly #parts: ClientParts;
  readonly #requests: Requests;
  readonly #rounds: Rounds;
  readonly #tools: UntypedTools;
  readonly #prompts: UntypedPrompts;
  readonly #subscriptions: OnDemand<Subscriptions>;
  readonly #calls: OnDemand<RunningCalls>;
  readonly #cancelling = new Set<Promise<unknown>>();
  /** The level that was set in the session; undefined until then. */
  #logLevel: LogLevel | undefined;

  constructor(parts: ClientParts) {
    const { agreement, asks, profile, report, notifications, closed, options } = parts;
    this.#parts = parts;
    this.server = agreement.server;
    const { shape } = agreement.channel;
    this.hint = { revision: agreement.server.revision, ...(shape !== undefined && { shape }) };
    this.closed = closed;
    this.auth = { explain: () => options.auth?.explain?.() ?? [] };
    const timeout: Timeout | undefined = options.timeout;
    const { headers, to } = parts;
    const { telemetry } = options;
    const requests = new Requests(agreement, { profile, timeout, report, headers, telemetry, to });
    const rounds = new Rounds(requests, asks);
    const validItems = new ValidItems(options.strict ?? false, report);
    const subscriptions = new OnDemand(async () => {
      const { Subscriptions } = await import("./subscriptions/subscriptions.ts");
      return new Subscriptions({ requests, notifications, closed, report, timeout });
    });
    const cancelling = this.#cancelling;
    const waitParts = { requests, rounds, notifications, subscriptions, report, closed, cancelling };
    const features = { requests, rounds, validItems, notifications };
    this.#requests = requests;
    this.#rounds = rounds;
    this.#tools = new UntypedTools(features, waitParts, {
      consent: options.consent,
      checkOutput: options.checkOutput ?? true,
      pin: options.pin,
      serverId: parts.serverId,
      report,
    });
    this.tools = this.#tools as unknown as ClientTools<Calls<Tools>>;
    this.resources = new UntypedResources(features) as unknown as ClientResources<Uris>;
    this.#prompts = new UntypedPrompts(features);
    this.prompts = this.#prompts as unknown as ClientPrompts<Gets<Prompts>>;
    this.#subscriptions = subscriptions;
    // Few clients are mounted, and the others do not load this.
    this.#calls = new OnDemand(async () => {
      const { createRunningCalls } = await import("./forward/running-calls.ts");
      return createRunningCalls(asks, notifications);
    });
    this.tasks = new ClientTasks(features, waitParts);
    notifications.renewWith(async () => {
      if (this.#logLevel) await requests.send("logging/setLevel", { level: this.#logLevel });
    });
  }

  /** Completions for an argument, given what was filled in before (`context`). */
  async complete(
    ref: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    context?: { readonly arguments?: { readonly [name: string]: string } },
    options?: CallOptions,
  ): Promise<Completion> {
    const params = { ref, argument, ...(context && { context }) };
    return toCompletion(await this.#requests.send("completion/complete", params, options));
  }

  /** Resolves when the server answers a `ping`, or `server/discover` in revisions without ping. */
  async ping(options?: CallOptions): Promise<void> {
    const method = this.#parts.agreement.revision.methods.has("ping") ? "ping" : "server/discover";
    await this.#requests.send(method, {}, options);
  }

  /** Asks for log messages of this severity and above, from now on. */
  async setLogLevel(level: LogLevel, options?: CallOptions): Promise<void> {
    assertLogLevel(level);
    if (this.#parts.agreement.revision.logLevelFrom === "session") {
      await this.#requests.send("logging/setLevel", { level }, options);
      this.#logLevel = level;
      return;
    }
    this.#assertServerHas("logging", "setLogLevel");
    this.#requests.setRequestLogLevel(level);
  }

  /** Subscribes to changes; `onChange` is called with those in the filter. */
  subscribe(filter: SubscriptionFilter, onChange: ChangeListener = () => {}): Promise<Subscription> {
    assertOptions("client.subscribe", filter, subscriptionFilterKinds);
    assertFunction("client.subscribe", onChange);
    const throttle = throttleChanges(onChange);
    const opening = this.#open(filter, throttle.onChange);
    void opening.then(({ ended }) => ended.then(throttle.stop)).catch(() => {});
    return opening;
  }

  /** Calls the listener with every notification from the server until the returned function is called. */
  onNotification(listener: NotificationListener): () => void;
  /** Likewise, of the notifications with this name. */
  onNotification(method: string, listener: (params: JsonObject) => unknown): () => void;
  onNotification(
    ...given: [NotificationListener] | [method: string, listener: (params: JsonObject) => unknown]
  ): () => void {
    const { notifications } = this.#parts;
    assertFunction("client.onNotification", given.at(-1));
    if (given.length === 1) return notifications.listen(given[0]);
    const [method, listener] = given;
    return notifications.listen((name, params) => (name === method ? listener(params) : undefined));
  }

  /** Calls the listener with every change that the server reports, subscribed to or not; for a list at most once a second. */
  onChange(listener: ChangeListener): () => void {
    assertFunction("client.onChange", listener);
    const { notifications, report } = this.#parts;
    const throttle = throttleChanges((change) => callSafely(report, () => listener(change)));
    const stop = notifications.listenToChanges(throttle.onChange);
    return () => {
      stop();
      throttle.stop();
    };
  }

  /** Calls the listener when a lost session has been set up again; changes may have been missed meanwhile. */
  onReconnected(listener: () => unknown): () => void {
    assertFunction("client.onReconnected", listener);
    return this.#parts.notifications.listenToReconnections(listener);
  }

  /** Sends any request; resolves with its result as it came. Tools still need the host's consent. */
  async request(
    method: string,
    params: JsonObject = {},
    options: RawRequestOptions = {},
  ): Promise<JsonObject> {
    this.#requests.assertAvailable(method);
    const { rounds, ...others } = options;
    if (methods.get(method)?.runsTool) {
      await this.#tools.assertConsentToRaw(params, others.signal);
      if (rounds !== "manual") return this.#tools.send(params, others);
    }
    if (rounds === "manual") return this.#requests.send(method, params, others);
    return (await this.#rounds.send(this.#requests.toCall(method, params, others))).result;
  }

  /** Sends any notification. */
  async notify(method: string, params: JsonObject = {}): Promise<void> {
    await this.#requests.notify(method, params);
  }

  /** Puts a middleware around every request from now on, inside those that are there. */
  use(middleware: ClientMiddleware): this {
    assertFunction("client.use", middleware);
    this.#requests.use(middleware);
    return this;
  }

  /** Replaces the roots and notifies the server. Needs the `roots` option, which declares the capability. */
  async setRoots(roots: RootList): Promise<void> {
    if (this.#parts.options.roots === undefined) throw new CapabilityError("roots", "client", "setRoots");
    this.#parts.asks.setRoots(roots);
    await this.notifyRootsChanged();
  }

  /** Notifies the server that the roots have changed; in revisions without that notification it asks each time. */
  async notifyRootsChanged(): Promise<void> {
    const { revision } = this.#parts.agreement;
    if (!hasCapability(this.#parts.profile.capabilities, "roots.listChanged"))
      throw new CapabilityError("roots.listChanged", "client", "notifyRootsChanged");
    if (revision.methods.has("notifications/roots/list_changed"))
      await this.#requests.notify("notifications/roots/list_changed", {});
  }

  /** Ends the connection; calls that are still waiting reject. */
  async close(): Promise<void> {
    // Tasks whose calls were given up a moment ago would go on.
    if (this.#cancelling.size > 0) await settlesWithin(cancelMs, Promise.all(this.#cancelling));
    await this.#parts.agreement.channel.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Makes a mount of this client, for a server that passes its features on. */
  "~mount"(): MountedClient {
    const { server, closed, resources, tasks } = this;
    const client: MountableClient = {
      server,
      closed,
      channel: this.#parts.agreement.channel,
      revision: this.#requests.revision,
      calls: async () => this.#calls.use((calls) => calls),
      resources,
      prompts: this.#prompts,
      tools: this.#tools,
      tasks,
      request: (method, params, options) => this.request(method, params, options),
      setLogLevel: (level) => this.setLogLevel(level),
      subscribe: (filter) => this.subscribe(filter),
      onChange: (listener) => this.onChange(listener),
    };
    return new MountedClient(client, this.#parts.report);
  }

  async #open(filter: SubscriptionFilter, onChange: ChangeListener): Promise<Subscription> {
    return this.#subscriptions.use((subscriptions) => subscriptions.open(filter, onChange));
  }

  #assertServerHas(capability: string, what: string): void {
    if (!hasCapability(this.server.capabilities, capability))
      throw new CapabilityError(capability, "server", what);
  }
}
