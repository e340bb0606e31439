import type { Call } from "../../contract/call.ts";
import { waitAtMost } from "../../lib/async/wait-at-most.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type ListName, toolOf } from "../../protocol/method.ts";
import { methods } from "../../protocol/method-table.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { Report } from "../report.ts";
import type { CallOptions } from "../requests.ts";
import { hasServerTasks } from "../tasks/declared-tasks.ts";
import type { Asker } from "./asker.ts";
import {
  CallForwarder,
  type FollowOptions,
  type ForwardedTaskOption,
  type ForwardOptions,
  type Upstream,
} from "./call-forwarder.ts";
import type { ForwardedTasks } from "./forwarded-tasks.ts";
import type { MountableClient } from "./mountable-client.ts";
import { lowestAskedLevel } from "./pass-log.ts";
import { toPassedOptions, withoutOwnMeta } from "./passed-options.ts";
import type { RunningCalls } from "./running-calls.ts";
import type { ServedSessions, User } from "./served-sessions.ts";

/** The time that a server has to take a level; after that, calls do not wait for it. */
const levelMs = 2_000;

interface SharedUpstreamParts {
  /** The names of the last lists, which it keeps up to date. */
  readonly names: Map<ListName, ReadonlySet<string>>;
  readonly report: Report;
  /** True if the client is notified of changes, so that it may keep lists. */
  readonly isFollowed: () => boolean;
}

/** The connection of a mounted client, which all callers share. */
export class SharedUpstream implements Upstream {
  readonly #client: MountableClient;
  readonly #names: SharedUpstreamParts["names"];
  readonly #report: Report;
  readonly #isFollowed: () => boolean;
  readonly #forwarder: CallForwarder;
  /** The level that was set at the server; undefined until a caller asked for one. */
  #logLevel: LogLevel | undefined;
  /** Settles when the server has that level, has refused it, or does not answer in time. */
  #settingLevel: Promise<void> = Promise.resolve();

  constructor(client: MountableClient, { names, report, isFollowed }: SharedUpstreamParts) {
    this.#client = client;
    this.#names = names;
    this.#report = report;
    this.#isFollowed = isFollowed;
    const lease = async (call: Call) => {
      await this.serve(call);
      return { upstream: this, release: () => {} };
    };
    this.#forwarder = new CallForwarder({ servesOneClient: false, lease }, report);
  }

  /** The sessions that use it, and receive what the server sends outside their calls. */
  async sessions(): Promise<ServedSessions> {
    return (await this.#client.calls()).sessions;
  }

  /**
   * Lets the session of a call receive what the server sends outside its calls, from the level that it has set; returns
   * false if it did before, or if none lives.
   */
  async serve(call: User): Promise<boolean> {
    const calls = await this.#client.calls();
    const isNew = calls.sessions.add(call);
    if (isNew) void this.#setLogLevel(calls);
    return isNew;
  }

  /** Counts a user whose session receives nothing by that. */
  async count(user: User): Promise<void> {
    (await this.sessions()).count(user);
  }

  /** Settles when no later message can overtake the answers to questions that were written. */
  async answersSent(): Promise<void> {
    await this.#client.channel.answersSent?.();
  }

  /** Sets the level of the server to the lowest that anybody asks for, with the level of this session. */
  async setLogLevel(call: User): Promise<void> {
    await this.serve(call);
    await this.#setLogLevel(await this.#client.calls());
  }

  async request(call: Call): Promise<JsonObject> {
    await this.serve(call);
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
    return withoutOwnMeta(await this.#client.request(method, others, options));
  }

  get revision(): Revision {
    return this.#client.revision;
  }

  get hasTasks(): boolean {
    return hasServerTasks(this.#client);
  }

  /** The tasks of the callers of a mounted client. */
  get tasks(): ForwardedTasks {
    return this.#forwarder.tasks;
  }

  async forward(asker: Asker, params: JsonObject, options: ForwardOptions): Promise<JsonObject> {
    const { servesOneClient, task, ...others } = options;
    const { method } = asker.call;
    const sent = methods.get(method)?.runsTool ? await this.#withTask(params, task) : params;
    const calls = await this.#client.calls();
    const result = await calls.run(asker, { servesOneClient }, async (onId) => {
      await this.#setLogLevel(calls);
      return this.#client.request(method, sent, { ...others, onId });
    });
    return withoutOwnMeta(result);
  }

  /** Sets the level of the session to the lowest that is asked for; each caller gets only its own. Never rejects. */
  #setLogLevel(calls: RunningCalls): Promise<void> {
    const { server, revision } = this.#client;
    if (revision.logLevelFrom !== "session" || !hasCapability(server.capabilities, "logging"))
      return this.#settingLevel;
    const level = lowestAskedLevel(calls.calls, calls.sessions.levels);
    if (level === undefined || level === this.#logLevel) return this.#settingLevel;
    this.#logLevel = level;
    // One after the other: over HTTP, requests may overtake each other.
    const setting = this.#settingLevel.then(() => this.#client.setLogLevel(level).catch(this.#report));
    this.#settingLevel = waitAtMost(levelMs, setting, () => undefined);
    return this.#settingLevel;
  }

  async follow(asker: Asker, taskId: string, options: FollowOptions): Promise<JsonObject> {
    const { servesOneClient, signal, onTask } = options;
    const { tasks } = this.#client;
    const cancel = () => void tasks.cancel(taskId).catch(this.#report);
    signal.addEventListener("abort", cancel, { once: true });
    const calls = await this.#client.calls();
    try {
      return await calls.run(asker, { servesOneClient }, async (onId) => {
        // Its questions name no request, so they are found by an id that no request has.
        const callId = `task ${taskId}`;
        onId(callId);
        return withoutOwnMeta({ ...(await tasks.resume(taskId, { signal, onTask, callId, onId })) });
      });
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async #withTask(params: JsonObject, task: ForwardedTaskOption | undefined): Promise<JsonObject> {
    const { tools, revision } = this.#client;
    if (revision.tasks !== "by-sender" || !this.hasTasks) return params;
    if (task !== undefined && task !== "if supported") return { ...params, task };
    const support = await tools.taskSupport(String(params.name));
    return tools.withTask(params, task && support === "optional" ? true : undefined);
  }

  /** Forwards a call that the server may ask about; the result of a tool is checked as for any caller of this client. */
  async #forward(call: Call, tool: string | undefined): Promise<JsonObject> {
    const read = tool === undefined ? undefined : await this.#client.tools.resultReader(tool);
    const result = await this.#forwarder.request(call);
    const isWhole = result.resultType !== "input_required" && result.resultType !== "task";
    return read && isWhole ? { ...read(result) } : result;
  }

  async #list(list: ListName, given: CallOptions): Promise<readonly { readonly name: string }[]> {
    const options = { ...given, fresh: !this.#isFollowed() };
    const { tools, resources, prompts } = this.#client;
    switch (list) {
      case "tools":
        return (await tools.list(options).all()).map((tool) => this.#withTaskSupport(tool));
      case "resources":
        return resources.list(options).all();
      case "resourceTemplates":
        return resources.templates(options).all();
      case "prompts":
        return prompts.list(options).all();
    }
  }

  /** The tool with the task support that our callers see; a server that decides by itself does not list any. */
  #withTaskSupport({ execution, ...tool }: Tool): Tool {
    if (!this.hasTasks) return tool;
    const shown = this.revision.tasks === "by-sender" ? execution : { taskSupport: "optional" as const };
    return shown ? { ...tool, execution: shown } : tool;
  }

  /** Gives up what waits for answers, and the tasks. */
  close(): void {
    this.#forwarder.close();
    void this.sessions().then((sessions) => sessions.close());
  }
}
