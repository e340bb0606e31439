import { ConsentRefusedError, InvalidAnswerError } from "../protocol/errors.ts";
import { checkContent, checkTool } from "../protocol/item-check.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { CallToolResult, Tool } from "../protocol/model/tool.ts";
import type { Exchange } from "./exchange.ts";
import { List, type Listing, type ListOptions } from "./lists.ts";
import type { ConnectOptions } from "./options.ts";
import { OutputChecks } from "./output.ts";
import type { ToolCallOptions } from "./typed-tools.ts";

export interface ToolsOptions {
  readonly consent: ConnectOptions["consent"];
  readonly checkOutput: boolean;
}

/** The tools of one server: what it lists, and calls that the host has agreed to. */
export class UntypedTools {
  readonly #exchange: Exchange;
  readonly #options: ToolsOptions;
  readonly #list: List<Tool>;
  /** As last listed; a change of the list makes them unknown again. */
  readonly #known = new Map<string, Tool>();
  readonly #outputs = new OutputChecks();

  constructor(exchange: Exchange, options: ToolsOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#list = new List<Tool>(exchange, {
      method: "tools/list",
      key: "tools",
      check: checkTool,
      changedBy: "tools",
      onPage: (tools, isFirst) => this.#remember(tools, isFirst),
    });
    exchange.notifications.listenFirst(({ kind }) => kind === "tools" && this.#known.clear());
  }

  list(options?: ListOptions): Listing<Tool> {
    return this.#list.list(options);
  }

  async call(name: string, args: JsonObject = {}, options: ToolCallOptions = {}): Promise<CallToolResult> {
    this.#exchange.requests.assertAvailable("tools/call");
    const tool = this.#known.get(name);
    const check = this.#options.checkOutput ? await this.#outputs.of(tool) : undefined;
    await this.agree(name, args, options.signal);
    const result = await this.#send({ name, arguments: args }, options);
    if (result.resultType === "input_required") return { content: [], ...result };
    const salvaged = this.#salvage(result);
    check?.(salvaged);
    return salvaged;
  }

  /** Asks the host whether a tool may run; rejects if not. */
  async agree(name: string, args: JsonObject, signal?: AbortSignal): Promise<void> {
    const { consent } = this.#options;
    if (consent === undefined) return;
    const server = this.#exchange.requests.server.info;
    const answer = await consent({ server, name, arguments: args, tool: this.#known.get(name), signal });
    if (answer !== true) throw new ConsentRefusedError(`The host did not allow the tool "${name}" to run.`);
  }

  async #send(params: JsonObject, options: ToolCallOptions): Promise<JsonObject> {
    const { rounds, inputResponses, requestState, ...others } = options;
    const { requests, rounds: driver } = this.#exchange;
    const answered = {
      ...params,
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    };
    if (rounds === "manual") return requests.send("tools/call", answered, others);
    return (await driver.send("tools/call", answered, others)).result;
  }

  #remember(tools: readonly Tool[], isFirst: boolean): void {
    if (isFirst) this.#known.clear();
    for (const tool of tools) this.#known.set(tool.name, tool);
  }

  #salvage(result: JsonObject): CallToolResult {
    const { content } = result;
    if (content === undefined && result.structuredContent === undefined)
      throw new InvalidAnswerError("tools/call was answered without content.");
    const kept = this.#exchange.salvage.items(content ?? [], checkContent, "tools/call: content");
    return (kept === content ? result : { ...result, content: kept }) as unknown as CallToolResult;
  }
}
