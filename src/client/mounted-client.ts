import type { Call } from "../contract/call.ts";
import type { Progress } from "../contract/channel.ts";
import type { Mount } from "../contract/mount.ts";
import type { Change } from "../contract/server-event.ts";
import { ConnectionClosedError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { MetaKey } from "../protocol/meta.ts";
import type { ListName } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import type { ServerCapabilities } from "../protocol/model/identity.ts";
import type { Tool } from "../protocol/model/tool.ts";
import type { ServerDescription } from "./agreement.ts";
import type { ClientPrompts } from "./features/prompts.ts";
import type { ClientResources } from "./features/resources.ts";
import type { UntypedTools } from "./features/tools.ts";
import type { Report } from "./report.ts";
import type { CallOptions } from "./requests.ts";
import type { Subscription, SubscriptionFilter } from "./subscriptions/subscription.ts";

/** The features of a client that another server can offer. */
export interface MountableClient {
  readonly server: ServerDescription;
  readonly tools: Pick<UntypedTools, "list" | "call">;
  readonly resources: ClientResources;
  readonly prompts: ClientPrompts;
  request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject>;
  subscribe(filter: SubscriptionFilter): Promise<Subscription>;
  onChange(listener: (change: Change) => void): () => void;
}

/** A connected client as a mount of another server. */
export class MountedClient implements Mount {
  readonly #client: MountableClient;
  readonly #report: Report;
  readonly #watched = new Map<string, Promise<Subscription>>();

  constructor(client: MountableClient, report: Report) {
    this.#client = client;
    this.#report = report;
  }

  get capabilities(): ServerCapabilities {
    return this.#client.server.capabilities;
  }

  async request(call: Call): Promise<JsonObject> {
    const { method, params } = call;
    const options = this.#toOptions(call);
    const list = methods.get(method)?.list?.items;
    if (list !== undefined) return { [list]: await this.#list(list, options) };
    const handler = requestHandlers.get(method);
    if (handler) return { ...(await handler(this.#client, params, options)) };
    const { _meta, ...others } = params;
    return this.#client.request(method, others, options);
  }

  async #list(list: ListName, options: CallOptions): Promise<readonly object[]> {
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
    const opening = this.#watched.get(uri) ?? this.#client.subscribe({ resources: [uri] });
    this.#watched.set(uri, opening);
    try {
      await opening;
    } catch (error) {
      this.#watched.delete(uri);
      throw error;
    }
  }

  onChange(listener: (change: Change) => void): () => void {
    const stop = this.#client.onChange(listener);
    const lists = this.#followLists();
    return () => {
      stop();
      for (const watched of this.#watched.values()) {
        void watched.then((subscription) => subscription.close()).catch(this.#report);
      }
      this.#watched.clear();
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

  #toOptions(call: Call): CallOptions {
    const meta = isObject(call.params._meta) ? call.params._meta : {};
    const { progressToken } = meta;
    const passed = withoutReserved(meta);
    const onProgress = (progress: Progress) => {
      // A caller that is gone aborts the call by its signal.
      call.notify("notifications/progress", { progressToken, ...progress }).catch(this.#report);
    };
    return {
      signal: call.signal,
      ...(progressToken !== undefined && { onProgress }),
      ...(Object.keys(passed).length > 0 && { meta: passed }),
    };
  }
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

const reserved: ReadonlySet<string> = new Set(["progressToken", ...Object.values(MetaKey)]);

/** Drops the metadata that describes the caller: this client sends its own. */
function withoutReserved(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !reserved.has(key)));
}

/** Drops the task support of a tool: its tasks are waited for here, so our callers see none. */
function withoutTasks({ execution: _, ...tool }: Tool): Tool {
  return tool;
}

function toArguments(params: JsonObject): JsonObject {
  return isObject(params.arguments) ? params.arguments : {};
}
