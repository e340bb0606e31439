import type { Call } from "../../contract/call.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type ListName, toolOf } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { Report } from "../report.ts";
import type { CallOptions } from "../requests.ts";
import type { Asker } from "./asker.ts";
import { CallForwarder, type ForwardOptions, type Upstream } from "./call-forwarder.ts";
import type { MountableClient } from "./mountable-client.ts";
import { toPassedOptions } from "./passed-options.ts";

interface SharedUpstreamParts {
  /** The names of the last lists, which it keeps up to date. */
  readonly names: Map<ListName, ReadonlySet<string>>;
  readonly report: Report;
}

/** The connection of a mounted client, which all callers share. */
export class SharedUpstream implements Upstream {
  readonly #client: MountableClient;
  readonly #names: SharedUpstreamParts["names"];
  readonly #report: Report;
  readonly #forwarder: CallForwarder;

  constructor(client: MountableClient, { names, report }: SharedUpstreamParts) {
    this.#client = client;
    this.#names = names;
    this.#report = report;
    const lease = async () => ({ upstream: this, release: () => {} });
    this.#forwarder = new CallForwarder({ servesOneClient: false, lease }, report);
  }

  async request(call: Call): Promise<JsonObject> {
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

  async forward(asker: Asker, params: JsonObject, options: ForwardOptions): Promise<JsonObject> {
    const { servesOneClient, ...others } = options;
    const { method } = asker.call;
    const sent = methods.get(method)?.runsTool ? this.#client.tools.withTask(params) : params;
    const calls = await this.#client.calls();
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
    const result = await this.#forwarder.request(call);
    return read && result.resultType !== "input_required" ? { ...read(result) } : result;
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

  /** Gives up what waits for answers. */
  close(): void {
    this.#forwarder.close();
  }
}

/** Drops the task support of a tool: its tasks are waited for here, so our callers see none. */
function withoutTasks({ execution: _, ...tool }: Tool): Tool {
  return tool;
}
