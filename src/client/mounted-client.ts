import type { Call } from "../contract/call.ts";
import type { Mount, PrefixedKind } from "../contract/mount.ts";
import type { Change } from "../contract/server-event.ts";
import { ConnectionClosedError, OverloadedError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { ListName } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import type { ServerCapabilities } from "../protocol/model/identity.ts";
import type { Tool } from "../protocol/model/tool.ts";
import type { ServerDescription } from "./agreement.ts";
import type { UntypedPrompts } from "./features/prompts.ts";
import type { ClientResources } from "./features/resource-types.ts";
import type { UntypedTools } from "./features/tools.ts";
import { toPassedOptions } from "./passed-options.ts";
import type { Report } from "./report.ts";
import type { CallOptions } from "./requests.ts";
import { JoinedSubscriptions } from "./subscriptions/joined-subscriptions.ts";
import type { Subscription, SubscriptionFilter } from "./subscriptions/subscription.ts";

/** The features of a client that another server can offer. */
export interface MountableClient {
  readonly server: ServerDescription;
  readonly closed: Promise<Error>;
  /** Whether one request subscribes to many resources. */
  readonly joinsResources: boolean;
  readonly tools: Pick<UntypedTools, "list" | "call">;
  readonly resources: ClientResources;
  readonly prompts: Pick<UntypedPrompts, "list" | "get">;
  request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject>;
  subscribe(filter: SubscriptionFilter): Promise<Subscription>;
  onChange(listener: (change: Change) => void): () => void;
}

/** The resources that are watched upstream; callers decide how many there are. */
const maxWatched = 10_000;
/** Other servers may take fewer in one subscription than this library, which takes 1,000. */
const maxJoined = 500;

/** A connected client as a mount of another server. */
export class MountedClient implements Mount {
  readonly #client: MountableClient;
  readonly #report: Report;
  readonly #watched: JoinedSubscriptions;
  /** The names of the last lists. */
  readonly #names = new Map<ListName, ReadonlySet<string>>();
  /** The reason why the connection has closed. */
  #closed: Error | undefined;

  constructor(client: MountableClient, report: Report) {
    this.#client = client;
    this.#report = report;
    this.#watched = new JoinedSubscriptions({
      maxJoined: client.joinsResources ? maxJoined : 1,
      subscribe: (filter) => client.subscribe(filter),
      report,
    });
    void client.closed.then((reason) => {
      this.#closed = reason;
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
    const options = toPassedOptions(call, this.#report);
    const list = methods.get(method)?.list?.items;
    if (list !== undefined) {
      const items = await this.#list(list, options);
      this.#names.set(list, new Set(items.map(({ name }) => name)));
      return { [list]: items };
    }
    const handler = requestHandlers.get(method);
    if (handler) return { ...(await handler(this.#client, params, options)) };
    const { _meta, ...others } = params;
    return this.#client.request(method, others, options);
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

type RequestHandler = (client: MountableClient, params: JsonObject, options: CallOptions) => Promise<object>;

/** The requests that a feature of the client sends, with its checks and its cache; others are passed on as they are. */
const requestHandlers: ReadonlyMap<string, RequestHandler> = new Map<string, RequestHandler>([
  [
    "tools/call",
    ({ tools }, params, options) => tools.call(String(params.name), toArguments(params), options),
  ],
  ["resources/read", ({ resources }, params, options) => resources.read(String(params.uri), options)],
]);

/** Drops the task support of a tool: its tasks are waited for here, so our callers see none. */
function withoutTasks({ execution: _, ...tool }: Tool): Tool {
  return tool;
}

function toArguments(params: JsonObject): JsonObject {
  return isObject(params.arguments) ? params.arguments : {};
}
