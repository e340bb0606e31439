import type { RequestOptions } from "../../contract/channel.ts";
import type { Timeout } from "../../contract/deadline.ts";
import type { OptionKinds } from "../../contract/options.ts";
import { ConsentRefusedError, McpError, RpcError, UsageError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import { BoundedMap } from "../../lib/bounded/bounded-map.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import { checkTool } from "../../protocol/check/model-check.ts";
import type { CallToolResult, Tool } from "../../protocol/model/tool.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import { maxListItems } from "../lists/list-limits.ts";
import type { ConnectOptions } from "../options.ts";
import type { Report } from "../report.ts";
import { type CallOptions, callOptionKinds } from "../requests.ts";
import { hasServerTasks } from "../tasks/declared-tasks.ts";
import { toCreatedTask, toTaskParams } from "../tasks/task-call.ts";
import type { TaskWaitParts } from "../tasks/wait-for-task.ts";
import { TimeBudget } from "../time-budget.ts";
import type { HeldTool } from "../trust/pin-check.ts";
import type { ToolPins } from "../trust/pins.ts";
import type { ToolGuard } from "../trust/tool-guard.ts";
import { assertArguments } from "./argument-check.ts";
import { type FeatureParts, nameError } from "./feature-parts.ts";
import type { OutputCheck } from "./output-check.ts";
import { type Listing, type ListObserver, type ListOptions, PagedList } from "./paged-list.ts";
import { readToolResult } from "./tool-result.ts";
import type { ToolCallOptions } from "./tool-types.ts";

export interface ToolsSettings {
  readonly consent: ConnectOptions["consent"];
  readonly checkOutput: boolean;
  readonly pin: ToolPins | undefined;
  /** The key under which consent and pins are remembered. */
  readonly serverId: string;
  readonly report: Report;
}

const toolCallOptionKinds: OptionKinds<ToolCallOptions & Omit<RequestOptions, "sharedMeta">> = {
  ...callOptionKinds,
  onTask: "function",
  rounds: ["automatic", "manual"],
  task: "boolean|object",
  inputResponses: "object",
  requestState: "string",
};

/** The tools of one server: what it lists, and calls that the host has agreed to. */
export class UntypedTools {
  readonly #parts: FeatureParts;
  readonly #waitParts: TaskWaitParts;
  readonly #options: ToolsSettings;
  readonly #list: PagedList<Tool>;
  /** The tools as last listed. They stay known after a change, until they are listed again. */
  /** A list that is never read to its end must not fill the memory. */
  readonly #known = new BoundedMap<string, Tool>(maxListItems);
  readonly #outputChecks = new WeakMap<Tool, Promise<OutputCheck>>();
  readonly #pins: ToolGuard | undefined;

  constructor(parts: FeatureParts, waitParts: TaskWaitParts, options: ToolsSettings) {
    this.#parts = parts;
    this.#waitParts = waitParts;
    this.#options = options;
    this.#list = new PagedList<Tool>(parts, {
      method: "tools/list",
      key: "tools",
      check: checkTool,
      changedBy: "tools",
      onStart: () => this.#follow(),
    });
    parts.notifications.listenFirst(({ kind }) => {
      if (kind === "tools") this.#pins?.onChange();
    });
    const { pin, serverId, report } = options;
    this.#pins = pin?.guard({ serverId, report, list: (signal) => this.#list.list({ signal }).all() });
  }

  /** Tools that the `pin` option holds back, as last listed. */
  held(): readonly HeldTool[] {
    return this.#pins?.held ?? [];
  }

  /** Lets a tool through that is held back, as it is now. */
  async approve(name: string): Promise<void> {
    if (this.#pins === undefined) throw new UsageError("No tool is held back without the pin option.");
    await this.#pins.approve(name);
    this.#list.forget();
  }

  list(options?: ListOptions): Listing<Tool> {
    return this.#list.list(options);
  }

  async call(name: string, args: JsonObject = {}, options: ToolCallOptions = {}): Promise<CallToolResult> {
    this.#parts.requests.assertAvailable("tools/call");
    if (typeof name !== "string") throw await nameError("tools.call", name);
    if (typeof options !== "object" || options === null)
      throw new UsageError(`client.tools.call takes options as an object, not ${describeValue(options)}.`);
    assertArguments(name, args);
    const timeout = this.#pins ? await this.#assertAllowed(this.#pins, name, options) : options.timeout;
    const reading = this.resultReader(name);
    const read = reading instanceof Promise ? await reading : reading;
    if (this.#options.consent) await this.#consent(name, args, options.signal);
    const allowed = timeout === options.timeout ? options : { ...options, timeout };
    const result = await this.#sendAsNeeded(this.#toParams(name, args, options), allowed);
    // A result that asks for another round comes back only with `rounds: "manual"`.
    return this.#parts.requests.isUnfinished(result) ? { ...result, content: [] } : read(result);
  }

  /** The function that checks the results of a tool; rejects if its schema can't be used safely. */
  resultReader(name: string): MaybePromise<(result: JsonObject) => CallToolResult> {
    const { validItems } = this.#parts;
    const compiling = this.#options.checkOutput ? this.#outputCheckOf(this.#known.get(name)) : undefined;
    if (compiling === undefined) return (result) => readToolResult(result, validItems);
    return compiling.then((check) => (result) => {
      const valid = readToolResult(result, validItems);
      check(valid);
      return valid;
    });
  }

  /** The task support of a tool, which is listed first if it is not known. */
  async taskSupport(name: string): Promise<NonNullable<Tool["execution"]>["taskSupport"]> {
    if (!this.#known.has(name)) await this.#list.list().all();
    return this.#known.get(name)?.execution?.taskSupport;
  }

  /** The params of a call, which becomes a task if `task` is set, or else if its tool was listed as one that must. */
  withTask(params: JsonObject, task?: ToolCallOptions["task"]): JsonObject {
    return toTaskParams(this.#parts.requests, params, task, this.#known.get(String(params.name)));
  }

  /** Rejects when pins hold the tool back; gives the limits of the call, less the time that the list took. */
  async #assertAllowed(pins: ToolGuard, name: string, { signal, timeout }: CallOptions): Promise<Timeout> {
    const time = new TimeBudget("tools/call", { ...this.#parts.requests.timeout, ...timeout });
    await time.spendWithin(signal, (within) => pins.assertAllowed(name, within));
    return time.rest;
  }

  /** Asks for consent to a call by `client.request`; rejects if the host refuses. */
  async assertConsentToRaw({ name, arguments: args = {} }: JsonObject, signal?: AbortSignal): Promise<void> {
    if (this.#pins === undefined && this.#options.consent === undefined) return;
    // The host must consent to exactly the call that is sent.
    if (typeof name !== "string" || !isObject(args))
      throw new UsageError("tools/call needs a name, which is a string, and arguments that are an object.");
    await this.#pins?.assertAllowed(name, signal);
    await this.#consent(name, args, signal);
  }

  async #consent(name: string, args: JsonObject, signal?: AbortSignal): Promise<void> {
    const { consent, serverId } = this.#options;
    if (consent === undefined) return;
    const server = this.#parts.requests.server.info;
    const tool = this.#known.get(name);
    const answer = await consent({ server, serverId, name, arguments: args, tool, signal });
    if (answer !== true) {
      const hint =
        typeof answer === "boolean"
          ? ""
          : ` (consent answered ${describeValue(answer)}; only true allows it)`;
      throw new ConsentRefusedError(`The host did not allow the tool "${name}" to run${hint}.`);
    }
    // The user may have taken long, and the tool may have changed meanwhile.
    await this.#pins?.assertAllowed(name, signal);
  }

  /** Sends a call. One that is refused because its tool, which was not listed yet, runs only as a task becomes one. */
  #sendAsNeeded(params: JsonObject, options: ToolCallOptions): Promise<JsonObject> {
    const { requests } = this.#parts;
    const isDecided = options.task !== undefined || this.#known.has(String(params.name));
    const sending = this.send(params, options);
    if (isDecided || requests.revision.tasks !== "by-sender" || !hasServerTasks(requests)) return sending;
    return sending.catch((error: unknown) => this.#sendAsTask(params, options, error));
  }

  /** Sends a call that was refused again, as a task, if that is what the list asks for. */
  async #sendAsTask(params: JsonObject, options: ToolCallOptions, refusal: unknown): Promise<JsonObject> {
    if (!(refusal instanceof RpcError && refusal.wireCode === WireCode.methodNotFound)) throw refusal;
    await this.#list.list({ signal: options.signal }).all();
    const asTask = this.withTask(params);
    if (asTask.task === undefined) throw refusal;
    return this.send(asTask, options);
  }

  /** Sends a call; if it becomes a task, waits for its result. */
  send(params: JsonObject, options: ToolCallOptions): Promise<JsonObject> {
    return this.#parts.requests.join(() => this.#send(params, options));
  }

  async #send(params: JsonObject, options: ToolCallOptions): Promise<JsonObject> {
    const { requests, rounds } = this.#parts;
    const call = requests.toCall("tools/call", params, options, toolCallOptionKinds);
    const first = await requests.sendCall(call);
    const goesOn = options.rounds !== "manual" && requests.isUnfinished(first);
    const answer = goesOn ? (await rounds.finish(call, first)).result : first;
    const task = toCreatedTask(requests.revision, params, answer);
    if (task === undefined) return answer;
    const { waitForTask } = await import("../tasks/wait-for-task.ts");
    const timeout = { ...requests.timeout, ...options.timeout };
    const { rest } = new TimeBudget("tools/call", timeout, call.spentMs);
    return waitForTask(this.#waitParts, task, { ...options, timeout: rest, callId: call.lastId });
  }

  /** The check of a tool's structured results, compiled once; undefined for a tool without a schema for them. */
  #outputCheckOf(tool: Tool | undefined): Promise<OutputCheck> | undefined {
    // Some servers spell an absent schema as null.
    if (!tool?.outputSchema) return undefined;
    const { name, outputSchema } = tool;
    const check =
      this.#outputChecks.get(tool) ??
      import("./output-check.ts").then(({ compileOutputCheck }) => compileOutputCheck(name, outputSchema));
    this.#outputChecks.set(tool, check);
    // Only the refusal of a schema is final: a check that could not be loaded is loaded again.
    check.catch((error) => error instanceof McpError || this.#outputChecks.delete(tool));
    return check;
  }

  #toParams(
    name: string,
    args: JsonObject,
    { inputResponses, requestState, task }: ToolCallOptions,
  ): JsonObject {
    const params: { [member: string]: unknown } = { name, arguments: args };
    if (inputResponses) params.inputResponses = inputResponses;
    if (requestState !== undefined) params.requestState = requestState;
    return this.withTask(params, task);
  }

  /** Remembers the tools of each page; after the last page, forgets those that were not in the list. */
  #follow(): ListObserver<Tool> {
    const watched = this.#pins?.onListing();
    const read = new Set<string>();
    return {
      onPage: async (tools) => {
        const allowed = watched ? await watched.onPage(tools) : tools;
        for (const tool of allowed) {
          read.add(tool.name);
          this.#known.set(tool.name, tool);
        }
        return allowed;
      },
      onEnd: () => {
        watched?.onEnd();
        for (const name of this.#known.keys()) if (!read.has(name)) this.#known.delete(name);
      },
    };
  }
}
