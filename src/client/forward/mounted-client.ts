import type { Call } from "../../contract/call.ts";
import type { Mount, PrefixedKind } from "../../contract/mount.ts";
import type { Change } from "../../contract/server-event.ts";
import { ConnectionClosedError, OverloadedError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type ListName, toolOf } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import type { ServerCapabilities } from "../../protocol/model/identity.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { ServerDescription } from "../agreement.ts";
import type { UntypedPrompts } from "../features/prompts.ts";
import type { ClientResources } from "../features/resource-types.ts";
import type { ClientTasks } from "../features/tasks.ts";
import type { UntypedTools } from "../features/tools.ts";
import type { Report } from "../report.ts";
import type { CallOptions, RawRequestOptions } from "../requests.ts";
import { JoinedSubscriptions } from "../subscriptions/joined-subscriptions.ts";
import type { Subscription, SubscriptionFilter } from "../subscriptions/subscription.ts";
import type { Asker } from "./asker.ts";
import type { CallForwarder, ForwardOptions, Upstream } from "./call-forwarder.ts";
import { toPassedOptions } from "./passed-options.ts";
import type { RunningCalls } from "./running-calls.ts";

/** The features of a client that another server can offer. */
export interface MountableClient {
  readonly server: ServerDescription;
  readonly closed: Promise<Error>;
  readonly revision: Revision;
  /** The calls of others that this client sends. */
  readonly calls: RunningCalls;
  readonly tools: Pick<UntypedTools, "list" | "resultReader" | "withTask">;
  readonly resources: ClientResources;
  readonly prompts: Pick<UntypedPrompts, "list">;
  readonly tasks: Pick<ClientTasks, "resume">;
  request(method: string, params: JsonObject, options: RawRequestOptions): Promise<JsonObject>;
  subscribe(filter: SubscriptionFilter): Promise<Subscription>;
  onChange(listener: (change: Change) => void): () => void;
}

/** The resources that are watched upstream; callers decide how many there are. */
const maxWatched = 10_000;
/** Other servers may take fewer in one subscription than this library, which takes 1,000. */
const maxJoined = 500;

/** A connected client as a mount of another server: all callers share its connection. */
export class MountedClient implements Mount, Upstream {
  readonly #client: MountableClient;
  readonly #report: Report;
  readonly #watched: JoinedSubscriptions;
  /** The names of the last lists. */
  readonly #names = new Map<ListName, ReadonlySet<string>>();
  #forwarder: Promise<CallForwarder> | undefined;
  /** The reason why the connection has closed. */
  #closed: Error | undefined;

  constructor(client: MountableClient, report: Report) {
    this.#client = client;
    this.#report = report;
    this.#watched = new JoinedSubscriptions({
      maxJoined: client.revision.subscribing === "listen" ? maxJoined : 1,
      subscribe: (filter) => client.subscribe(filter),
      report,
    });
    void client.closed.then((reason) => {
      this.#closed = reason;
      void this.#forwarder?.then((forwarder) => forwarder.close());
    });
  }

  get name(): string | undefined {
    return this.#client.server.info?.name;
  }

  get capabilities(): ServerCapabilities {
    return this.#client.server.capabilities;
  }

  has(kind: PrefixedKind, name: string): boolean | undefined {
    return this.#names.get(kind)?.has(name);
  }

  async request(call: Call): Promise<JsonObject> {
    // A list in the cache outlives the connection, but what it names can't be used.
    if (this.#closed) throw new ConnectionClosedError("The connection is closed.", { cause: this.#closed });
    const { method, params } = call;
    const row = methods.get(method);
    if (row?.rounds) return this.#forward(call, toolOf(row, params));
    const options = toPassedOptions(call, this.#report);
    const list = row?.list?.items;
    if (list !== undefined) {
      const items = await this.#list(list, options);
      this.#names.set(list, new Set(items.map(({ name }) => name)));
      return { [list]: items };
    }
    const { _meta, ...others } = params;
    return this.#client.request(method, others, options);
  }

  get revision(): Revision {
    return this.#client.revision;
  }

  forward(asker: Asker, params: JsonObject, options: ForwardOptions): Promise<JsonObject> {
    const { servesOneClient, ...others } = options;
    const { method } = asker.call;
    const { calls, tools } = this.#client;
    const sent = methods.get(method)?.runsTool ? tools.withTask(params) : params;
    return calls.run(asker, { servesOneClient }, (onId) =>
      this.#client.request(method, sent, { ...others, onId }),
    );
  }

  resume(taskId: string, options: { readonly signal: AbortSignal }): Promise<object> {
    return this.#client.tasks.resume(taskId, options);
  }

  /** Forwards a call that the server may ask about; the result of a tool is checked as for any caller of this client. */
  async #forward(call: Call, tool: string | undefined): Promise<JsonObject> {
    const read = tool === undefined ? undefined : await this.#client.tools.resultReader(tool);
    this.#forwarder ??= this.#createForwarder();
    const result = await (await this.#forwarder).request(call);
    return read && result.resultType !== "input_required" ? { ...read(result) } : result;
  }

  /** Few clients are mounted, and the others do not load it. */
  async #createForwarder(): Promise<CallForwarder> {
    const { CallForwarder } = await import("./call-forwarder.ts");
    const lease = async () => ({ upstream: this, release: () => {} });
    return new CallForwarder({ servesOneClient: false, lease }, this.#report);
  }

  async #list(list: ListName, options: CallOptions): Promise<readonly { readonly name: string }[]> {
    const { tools, resources, prompts } = this.#client;
    switch (list) {
      case "tools":
        return (await tools.list(options).all()).map(withoutTasks);
      case "resources":
        return resources.list(options).all();
      case "resourceTemplates":
        return resources.templates(options).all();
      case "prompts":
        return prompts.list(options).all();
    }
  }

  async watch(uri: string): Promise<void> {
    if (!this.#watched.has(uri) && this.#watched.size >= maxWatched)
      throw new OverloadedError(`At most ${maxWatched} resources of one client are watched.`);
    await this.#watched.watch(uri);
  }

  unwatch(uri: string): void {
    this.#watched.unwatch(uri);
  }

  onChange(listener: (change: Change) => void): () => void {
    let isListening = true;
    const stop = this.#client.onChange(listener);
    const lists = this.#followLists();
    void this.#client.closed.then(() => {
      if (isListening) for (const kind of changingKinds(this.capabilities)) listener({ kind });
    });
    return () => {
      isListening = false;
      stop();
      this.#watched.close();
      void lists.then((subscription) => subscription?.close()).catch(this.#report);
    };
  }

  /** Subscribes to changes of lists, in revisions where they come only to subscribers. */
  async #followLists(): Promise<Subscription | undefined> {
    const { tools, prompts, resources } = this.capabilities;
    try {
      return await this.#client.subscribe({
        tools: tools?.listChanged === true,
        prompts: prompts?.listChanged === true,
        resourceList: resources?.listChanged === true,
      });
    } catch (error) {
      if (!(error instanceof ConnectionClosedError)) this.#report(error as Error);
      return undefined;
    }
  }
}

/** The lists that lose their items when the server is gone. */
function changingKinds(capabilities: ServerCapabilities) {
  return (["tools", "prompts", "resources"] as const).filter((kind) => capabilities[kind] !== undefined);
}

/** Drops the task support of a tool: its tasks are waited for here, so our callers see none. */
function withoutTasks({ execution: _, ...tool }: Tool): Tool {
  return tool;
}
