import type { Client } from "../client/client.ts";
import type { ToolCallOptions } from "../client/features/tool-types.ts";
import type { HeldTool } from "../client/trust/pin-check.ts";
import { toCancelled } from "../contract/cancelled-error.ts";
import { RpcError, ToolHeldError, UsageError } from "../errors.ts";
import { waitAtMost } from "../lib/async/wait-at-most.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { describeValue } from "../lib/text/describe-value.ts";
import { didYouMean } from "../lib/text/did-you-mean.ts";
import type { Tool } from "../protocol/model/tool.ts";
import { WireCode } from "../protocol/wire-error.ts";
import { CallRunner, type CallRunnerParts } from "./call-runner.ts";
import type { Caller } from "./caller.ts";
import { applyToolRules, isAllowed } from "./catalog/apply-tool-rules.ts";
import type { HostTool, ModelTool } from "./catalog/host-tool.ts";
import { type CatalogChange, ToolCatalog } from "./catalog/tool-catalog.ts";
import { prefixOf } from "./catalog/tool-names.ts";
import { HostConnection } from "./connections/connection.ts";
import { type Credentials, credentialsKey } from "./credentials.ts";
import { HostResult } from "./host-result.ts";
import type { HostOptions } from "./options.ts";
import { type FoundTool, type SearchOptions, ToolSearch } from "./search/tool-search.ts";
import type { ManagedServer } from "./server/managed-server.ts";
import { unknownServer } from "./server/unknown-server.ts";

/** Options of a call through the host. */
export type HostCallOptions = Pick<
  ToolCallOptions,
  "signal" | "timeout" | "onProgress" | "meta" | "retry" | "task" | "onTask"
>;

export interface ToolsOptions {
  readonly signal?: AbortSignal | undefined;
  /** The longest wait for servers that are slow to start, this time. Default: that of the host, `listMs`. */
  readonly waitMs?: number | undefined;
}

/** The host as one caller sees it. */
export interface HostCaller {
  /**
   * The tools of all servers, under the names that models see. Starts the servers; those that fail are left out,
   * and those that are slower than `listMs` come later, with a change.
   */
  tools(options?: ToolsOptions): Promise<readonly HostTool[]>;
  /** The tools to give to a model: all, or `search_tools` and `call_tool` if there are more than `searchAbove`. */
  modelTools(options?: { readonly signal?: AbortSignal }): Promise<readonly ModelTool[]>;
  /**
   * Runs a tool by the name that models see. Starts its server only.
   *
   * A call that fails, or that was not allowed, has a result that explains it to the model, and its `error` for the host.
   * Rejects only if it was cancelled, and for mistakes of the program.
   */
  call(name: string, args?: JsonObject, options?: HostCallOptions): Promise<HostResult>;
  /** Finds tools by words, best first. */
  search(query: string, options?: SearchOptions): Promise<readonly FoundTool[]>;
  /** The tool of this name, if its server was listed. */
  find(name: string): HostTool | undefined;
  /** The error of the tool of this name, if its server was listed and a pin holds it back. It says how to approve the tool. */
  findHeld(name: string): ToolHeldError | undefined;
  /**
   * The connection of this caller to a server: prompts, resources and all else.
   *
   * The host closes it, also when it is idle, so ask for it again rather than keep it.
   */
  client(server: string, options?: { readonly signal?: AbortSignal }): Promise<Client>;
  /** Calls the listener when tools come, go or change, until the returned function is called. */
  onChange(listener: (change: CatalogChange) => void): () => void;
}

export interface CallerHostParts extends CallRunnerParts {
  readonly options: HostOptions;
  readonly servers: ReadonlyMap<string, ManagedServer>;
  /** The server whose tools have this prefix. */
  byPrefix(prefix: string): ManagedServer | undefined;
  /** The server that has a tool which is renamed to this. */
  byRename(name: string): ManagedServer | undefined;
  /** The error of all use after the host was closed; undefined before. */
  closed(): UsageError | undefined;
  report(problem: Error, serverName: string | undefined): void;
}

const noCredentials: Credentials = {};
/** The problems with the tools of one server that are reported. */
const maxProblems = 3;
/** The tools that an unknown name is compared with. */
const maxCompared = 1_000;

/** The connections of the callers that share them, and their tools. */
export class CallerHost implements HostCaller {
  readonly #parts: CallerHostParts;
  readonly #scope: string;
  readonly #caller: Caller;
  readonly #catalog: ToolCatalog;
  readonly #search: ToolSearch;
  readonly #runner: CallRunner;
  /** By server and credentials. */
  readonly #connections = new Map<string, HostConnection>();
  /** The last problem of each server that could not be listed. */
  readonly #problems = new Map<string, string>();
  /** The last problems with the tools of each server: it may list them often. */
  readonly #toolProblems = new Map<string, string>();
  /** The servers that were waited for in vain: they are not again, until their tools come. */
  readonly #late = new Set<string>();
  /** Set once `tools` was called: servers that are added later are listed, too. */
  #isListed = false;

  constructor(scope: string, caller: Caller, parts: CallerHostParts) {
    this.#scope = scope;
    this.#caller = caller;
    this.#parts = parts;
    this.#catalog = new ToolCatalog(() => parts.servers.keys());
    this.#search = new ToolSearch(this.#catalog, parts.options.searchAbove);
    this.#runner = new CallRunner(parts);
  }

  async tools({ signal, waitMs }: ToolsOptions = {}): Promise<readonly HostTool[]> {
    this.#isListed = true;
    const { listMs = 15_000 } = this.#parts.options;
    const servers = [...this.#parts.servers.values()].filter(({ spec }) => !spec.isDisabled);
    const pending = new Set<string>();
    const lists = servers.map(async (server) => {
      const { name } = server;
      const isAwaited = waitMs !== undefined || !this.#late.has(name);
      if (isAwaited) pending.add(name);
      // Each has a signal of its own: many listeners of one look like a leak.
      const listing = this.#list(server, signal && AbortSignal.any([signal])).then(() =>
        pending.delete(name),
      );
      if (isAwaited) await listing;
    });
    await waitAtMost(waitMs ?? listMs, Promise.all(lists), () => {
      if (waitMs === undefined) for (const name of pending) this.#late.add(name);
    });
    if (signal?.aborted) throw toCancelled("tools", signal.reason);
    return this.#catalog.all;
  }

  async modelTools(options?: { readonly signal?: AbortSignal }): Promise<readonly ModelTool[]> {
    await this.tools(options);
    return this.#search.modelTools;
  }

  find(name: string): HostTool | undefined {
    const server = this.#serverOf(name);
    return server && this.#catalog.find(server.name, name);
  }

  findHeld(name: string): ToolHeldError | undefined {
    const server = this.#serverOf(name);
    return server && this.#catalog.findHeld(server.name, name);
  }

  async call(name: string, args: JsonObject = {}, options: HostCallOptions = {}): Promise<HostResult> {
    if (typeof name !== "string" || !isObject(args))
      throw new UsageError(`host.call takes a name and an object of arguments, not ${describeValue(args)}.`);
    const closed = this.#parts.closed();
    if (closed) return HostResult.failure(closed.message, closed);
    const builtIn = this.#search.builtIn(name);
    if (builtIn === undefined) return this.#call(name, args, options);
    await this.tools(options.signal ? { signal: options.signal } : {});
    const outcome = builtIn(args);
    return outcome instanceof HostResult ? outcome : this.#call(outcome.name, outcome.arguments, options);
  }

  async search(query: string, options?: SearchOptions): Promise<readonly FoundTool[]> {
    await this.tools();
    return this.#search.find(query, options);
  }

  async client(name: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Client> {
    const server = this.#parts.servers.get(name);
    if (server === undefined) throw this.#parts.closed() ?? unknownServer(name, this.#parts.servers.keys());
    const { upstream } = await this.#connectionTo(server);
    return upstream.client(signal);
  }

  onChange(listener: (change: CatalogChange) => void): () => void {
    return this.#catalog.onChange(listener);
  }

  /** Takes note that a server was added, or reaches another program, or that other tools of it are allowed. */
  onServerChanged(name: string): void {
    const server = this.#parts.servers.get(name);
    this.#late.delete(name);
    if (server === undefined || server.spec.isDisabled) return this.#forget(name);
    for (const [key, connection] of this.#connections) if (serverIn(key) === name) connection.list.forget();
    if (this.#isListed || this.#catalog.has(name)) void this.#list(server, undefined);
  }

  /** Takes note that the connections of a server are closed for good. */
  onServerClosed(name: string): void {
    for (const key of this.#connections.keys()) if (serverIn(key) === name) this.#connections.delete(key);
    this.#forget(name);
  }

  /** True while a call runs or a connection is open; one that failed is not. */
  get isInUse(): boolean {
    return [...this.#connections.values()].some(
      ({ upstream: { running, state } }) =>
        running > 0 || state.kind === "ready" || state.kind === "starting",
    );
  }

  /** Gives up the connections of a caller that is forgotten. */
  close(): void {
    for (const [key, connection] of this.#connections) {
      this.#parts.servers.get(String(serverIn(key)))?.drop(connection);
      void connection.close();
    }
    this.#connections.clear();
  }

  async #call(name: string, args: JsonObject, options: HostCallOptions): Promise<HostResult> {
    const server = this.#serverOf(name);
    const caller = this.#caller;
    if (server === undefined) return this.#runner.refuse(name, this.#unknownTool(name), { server, caller });
    const tool =
      this.#catalog.find(server.name, name) ??
      (await this.#discover(server, name, options)) ??
      this.#heldTool(server, name) ??
      this.#unknownTool(name);
    if (tool instanceof HostResult) return this.#runner.refuse(name, tool, { server, caller });
    const connection = this.#connectionAtOnce(server) ?? (await this.#connectionTo(server));
    return this.#runner.run({ server, tool, connection, caller }, args, options);
  }

  /** Starts one server to find a tool that the model knows from before. */
  async #discover(
    server: ManagedServer,
    name: string,
    { signal }: HostCallOptions,
  ): Promise<HostTool | HostResult | undefined> {
    try {
      const connection = await this.#connectionTo(server);
      // It may have been approved since.
      if (this.#catalog.findHeld(server.name, name)) connection.list.forget();
      await connection.list.read(signal);
    } catch (error) {
      if (signal?.aborted) throw toCancelled("host.call", signal.reason);
      return this.#runner.toFailure(server.name, error);
    }
    return this.#catalog.find(server.name, name);
  }

  async #list(server: ManagedServer, signal: AbortSignal | undefined): Promise<void> {
    try {
      const connection = await this.#connectionTo(server);
      await connection.list.read(signal);
      this.#problems.delete(server.name);
      this.#late.delete(server.name);
    } catch (error) {
      // A server that the host has given up meanwhile is no problem.
      if (signal?.aborted || this.#parts.servers.get(server.name) !== server) return;
      this.#catalog.remove(server.name);
      this.#reportOnce(server.name, error as Error);
    }
  }

  /** Reports why a server can't be listed: once, although each turn of a conversation lists again. */
  #reportOnce(server: string, problem: Error): void {
    if (this.#problems.get(server) === problem.message) return;
    this.#problems.set(server, problem.message);
    this.#parts.report(problem, server);
  }

  #serverOf(name: string): ManagedServer | undefined {
    const prefix = prefixOf(name);
    const server = prefix === undefined ? this.#parts.byRename(name) : this.#parts.byPrefix(prefix);
    return server?.spec.isDisabled ? undefined : server;
  }

  /** The open connection, where credentials make no difference. */
  #connectionAtOnce(server: ManagedServer): HostConnection | undefined {
    return this.#parts.options.credentials ? undefined : this.#connections.get(keyOf(server.name, ""));
  }

  async #connectionTo(server: ManagedServer): Promise<HostConnection> {
    const { credentials: ask } = this.#parts.options;
    const request = { server: server.name, ...this.#caller };
    const credentials = (await ask?.(request)) ?? noCredentials;
    const key = keyOf(server.name, await credentialsKey(credentials));
    const known = this.#connections.get(key);
    if (known) return known;
    const { name } = server;
    const connection = new HostConnection({
      server,
      scope: this.#scope,
      caller: this.#caller,
      credentials,
      onTools: (tools, held) => this.#setTools(server, tools, held),
    });
    this.#dropUnused(name);
    this.#connections.set(key, connection);
    server.add(connection);
    return connection;
  }

  /** Forgets connections to a server with other credentials that are closed. */
  #dropUnused(name: string): void {
    const server = this.#parts.servers.get(name);
    for (const [key, connection] of this.#connections) {
      const { upstream } = connection;
      if (serverIn(key) !== name || upstream.running > 0 || upstream.state.kind !== "idle") continue;
      this.#connections.delete(key);
      server?.drop(connection);
    }
  }

  async #setTools(
    { name, prefix, spec }: ManagedServer,
    tools: readonly Tool[],
    pinned: readonly HeldTool[],
  ): Promise<void> {
    const { allowed, held, problems } = await applyToolRules(spec, tools);
    const listed = { name, prefix, rules: spec.toolRules };
    await this.#catalog.setHeld(
      listed,
      toHeldErrors(
        name,
        held,
        pinned.filter((tool) => isAllowed(spec, tool.name)),
      ),
    );
    const leftOut = await this.#catalog.set(listed, allowed);
    problems.push(...held.values());
    for (const tool of leftOut)
      problems.push(`The tool ${JSON.stringify(tool.name)} is left out: another of the server has its name.`);
    const shown = problems.slice(0, maxProblems);
    if (this.#toolProblems.get(name) === shown.join()) return;
    this.#toolProblems.set(name, shown.join());
    for (const problem of shown) this.#parts.report(new UsageError(problem), name);
  }

  #heldTool(server: ManagedServer, name: string): HostResult | undefined {
    const error = this.#catalog.findHeld(server.name, name);
    return error && this.#runner.toFailure(server.name, error);
  }

  /** Names the listed tool that may have been meant; those that are hidden stay so. */
  #unknownTool(name: string): HostResult {
    const listed = this.#catalog.all.slice(0, maxCompared).map((tool) => tool.name);
    const hint = didYouMean(name, listed) || ".";
    const error = new RpcError(WireCode.invalidParams, `There is no tool ${JSON.stringify(name)}${hint}`);
    return HostResult.failure(error.message, error);
  }

  #forget(name: string): void {
    this.#catalog.remove(name);
  }
}

/** The errors of tools that are held back: by rules of the configuration, and by the pins of the client. */
function toHeldErrors(
  server: string,
  ruled: ReadonlyMap<string, string>,
  pinned: readonly HeldTool[],
): ReadonlyMap<string, ToolHeldError> {
  const errors = pinned.map(({ name, diff }) => {
    const [client, tool] = [JSON.stringify(server), JSON.stringify(name)];
    const message = `Tool ${tool} is held back by its pin. Look at the difference (diff of this error), then approve it by (await host.client(${client})).tools.approve(${tool}).`;
    return [name, new ToolHeldError(message, diff)] as const;
  });
  return new Map([
    ...errors,
    ...[...ruled].map(([name, message]) => [name, new ToolHeldError(message, [])] as const),
  ]);
}

function keyOf(server: string, credentials: string): string {
  return JSON.stringify([server, credentials]);
}

function serverIn(key: string): unknown {
  return (JSON.parse(key) as readonly unknown[])[0];
}
