/// <reference lib="esnext.disposable" preserve="true" />
import type { Client } from "../client/client.ts";
import type { ConnectOptions } from "../client/options.ts";
import { callSafely, createReport } from "../client/report.ts";
import { toTrustStore } from "../client/trust/trust-store.ts";
import { assertFunction, assertOptions } from "../contract/options.ts";
import { OverloadedError, UsageError } from "../errors.ts";
import { Mutex } from "../lib/async/mutex.ts";
import type { JsonObject } from "../lib/json.ts";
import { type Caller, toScope, visibleCaller } from "./caller.ts";
import { CallerHost, type CallerHostParts, type HostCaller } from "./caller-host.ts";
import { findRenamed, readToolRules } from "./catalog/tool-rules.ts";
import { ConfigFiles, type JoinedConfig } from "./config/config-files.ts";
import { rememberInputs } from "./config/remember-inputs.ts";
import { createBudget, toSettings } from "./connections/settings.ts";
import { assertHostOptions, type HostOptions, hostOptionKinds } from "./options.ts";
import { type HostServer, ManagedServer, type ManagedServerParts } from "./server/managed-server.ts";
import { inspectEntry } from "./server/open-client.ts";
import { fromConfigured, isSameSource, type ServerSpec, toSpec } from "./server/server-spec.ts";
import { unknownServer } from "./server/unknown-server.ts";
import { ConfigApprovals, type PlacedEntry } from "./trust/config-approval.ts";

/** Many servers behind one catalogue. */
export interface Host extends HostCaller {
  readonly servers: readonly HostServer[];
  server(name: string): HostServer | undefined;
  /** The host as this caller sees it. Callers that `isolation` keeps apart share no connection. */
  for(caller: Caller): HostCaller;
  /**
   * Opens one more connection to a server, by its entry, with these options. Whoever opens it closes it.
   *
   * It counts for no limit of the host, and gets no credentials of callers.
   */
  connect(server: string, options?: ConnectOptions): Promise<Client>;
  /** Calls the listener when the state of a server changes, until the returned function is called. */
  onState(listener: (server: HostServer) => void): () => void;
  /** Reads the files again; restarts only servers that changed. */
  reload(): Promise<void>;
  /** Closes all connections and ends all programs. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Callers that are remembered; those that use nothing go first. */
const maxCallers = 10_000;

/**
 * Opens a host: many servers from the files that hosts keep, behind one catalogue for models.
 *
 * Servers start with their first use. Whoever opens a host must close it.
 */
export async function openHost(options: HostOptions): Promise<Host> {
  assertHostOptions("openHost", options);
  assertOptions("openHost", options, hostOptionKinds);
  if (options.config === undefined && options.servers === undefined)
    throw new UsageError("There are no servers: give config, which is the path of a file, or servers.");
  const host = new ManyServers(options);
  await host.reload();
  await host.watch();
  return host;
}

class ManyServers implements Host {
  readonly #options: HostOptions;
  readonly #report: (problem: Error, serverName: string | undefined) => void;
  readonly #files: ConfigFiles;
  readonly #servers = new Map<string, ManagedServer>();
  readonly #byPrefix = new Map<string, ManagedServer>();
  readonly #callers = new Map<string, CallerHost>();
  readonly #listeners = new Set<(server: HostServer) => void>();
  readonly #serverParts: ManagedServerParts;
  readonly #callerParts: CallerHostParts;
  #renamed: ReturnType<typeof findRenamed> = new Map();
  readonly #reloads = new Mutex();
  #isRead = false;
  #isClosed = false;

  constructor(options: HostOptions) {
    this.#options = options;
    const { config = [], onProblem, workspaceFolder, audit, store = new Map() } = options;
    const warn = createReport();
    const report = (problem: Error, serverName: string | undefined) =>
      onProblem ? callSafely(warn, () => onProblem(problem, serverName)) : warn(problem);
    this.#report = report;
    this.#files = new ConfigFiles(typeof config === "string" ? [config] : config, {
      workspaceFolder,
      report: (problem, name) =>
        report(typeof problem === "string" ? new UsageError(problem) : problem, name),
    });
    const callers = new WeakMap<JsonObject, Caller>();
    this.#serverParts = {
      options,
      askInput: options.input && rememberInputs(options.input),
      approvals: new ConfigApprovals({ store: toTrustStore(store), approve: options.approve }),
      callers,
      report,
      settings: toSettings(options),
      budget: createBudget(options.maxConnections ?? 100),
      onState: (server) => this.#onState(server),
      onApproved: ({ name }) => this.#notifyCallers(name),
    };
    this.#callerParts = {
      options,
      callers,
      report,
      servers: this.#servers,
      byPrefix: (prefix) => this.#byPrefix.get(prefix),
      closed: () => this.#closed,
      byRename: (name) => this.#servers.get(this.#renamed.get(name)?.server ?? ""),
      maxRunning: options.maxRunning ?? 100,
      audit:
        audit &&
        ((entry) =>
          callSafely(
            (problem) => report(problem, undefined),
            () => audit(entry),
          )),
    };
  }

  get servers(): readonly HostServer[] {
    return [...this.#servers.values()];
  }

  server(name: string): HostServer | undefined {
    return this.#servers.get(name);
  }

  for(caller: Caller): HostCaller {
    const { isolation = "shared" } = this.#options;
    const scope = toScope(isolation, caller);
    const known = this.#callers.get(scope);
    if (known) {
      // The order is that of use.
      this.#callers.delete(scope);
      this.#callers.set(scope, known);
      return known;
    }
    this.#makeRoom();
    const created = new CallerHost(scope, visibleCaller(isolation, caller), this.#callerParts);
    this.#callers.set(scope, created);
    return created;
  }

  tools: HostCaller["tools"] = async (options) => this.for({}).tools(options);
  modelTools: HostCaller["modelTools"] = async (options) => this.for({}).modelTools(options);
  call: HostCaller["call"] = async (name, args, options) => this.for({}).call(name, args, options);
  search: HostCaller["search"] = async (query, options) => this.for({}).search(query, options);
  client: HostCaller["client"] = async (server, options) => this.for({}).client(server, options);
  find: HostCaller["find"] = (name) => this.for({}).find(name);
  findHeld: HostCaller["findHeld"] = (name) => this.for({}).findHeld(name);
  onChange: HostCaller["onChange"] = (listener) => this.for({}).onChange(listener);

  async connect(name: string, options: ConnectOptions = {}): Promise<Client> {
    const server = this.#servers.get(name);
    if (server === undefined) throw this.#closed ?? unknownServer(name, this.#servers.keys());
    return server.connect(options);
  }

  onState(listener: (server: HostServer) => void): () => void {
    assertFunction("host.onState", listener);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** One after the other, so that the last state of the files wins. */
  reload(): Promise<void> {
    return this.#reloads.run(() => this.#reload());
  }

  /** Follows the files, unless the host does not want it. */
  async watch(): Promise<void> {
    if (this.#options.config === undefined || this.#options.watch === false) return;
    await this.#files.watch(() => {
      this.reload().catch((error: unknown) => this.#report(error as Error, undefined));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#files.close();
    await this.#reloads.idle();
    const servers = [...this.#servers.values()];
    for (const server of servers) this.#remove(server);
    await Promise.all(servers.map((server) => server.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #reload(): Promise<void> {
    const specs = this.#toSpecs(await this.#files.read());
    await this.#trustFirst([...specs.values()]);
    if (this.#isClosed) return;
    this.#renamed = findRenamed([...specs.values()].map(({ name, toolRules }) => [name, toolRules]));
    for (const server of [...this.#servers.values()]) {
      const spec = specs.get(server.name);
      if (spec && isSameSource(spec, server.spec)) this.#update(server, spec);
      else await this.#end(server);
    }
    for (const spec of specs.values()) if (!this.#servers.has(spec.name)) await this.#add(spec);
    this.#sort(specs.keys());
    for (const name of Object.keys(this.#options.tools ?? {}))
      if (!specs.has(name)) this.#report(unknownServer(name, specs.keys()), name);
  }

  /** Approves what the files have when they are first read; what they get later is not ours. */
  async #trustFirst(specs: readonly ServerSpec[]): Promise<void> {
    const { approve, trustFirst = approve === undefined } = this.#options;
    if (this.#isRead || !trustFirst) return;
    this.#isRead = true;
    const inspectAll = async (file: string) => {
      const placed: PlacedEntry[] = [];
      for (const spec of specs)
        if (spec.file === file && "entry" in spec.source)
          placed.push(await inspectEntry(this.#serverParts, spec, spec.source));
      return placed;
    };
    for (const file of this.#files.paths)
      await this.#serverParts.approvals.trustFirst(file, () => inspectAll(file));
  }

  #toSpecs(configured: JoinedConfig): ReadonlyMap<string, ServerSpec> {
    const { servers = {}, tools = {} } = this.#options;
    const specs = [
      ...[...configured.values()].map(({ server, file, inputs }) => fromConfigured(server, file, inputs)),
      ...Object.entries(servers).map(([name, given]) => toSpec(name, given)),
    ];
    return new Map(
      specs.map((spec) => {
        const own = readToolRules(Object.hasOwn(tools, spec.name) ? tools[spec.name] : undefined);
        if (typeof own === "string") throw new UsageError(`Server "${spec.name}": ${own}`);
        return [spec.name, { ...spec, toolRules: { ...spec.toolRules, ...own } }];
      }),
    );
  }

  /** Puts the servers into the order of the configuration. */
  #sort(names: Iterable<string>): void {
    for (const name of names) {
      const server = this.#servers.get(name);
      this.#servers.delete(name);
      if (server) this.#servers.set(name, server);
    }
  }

  async #add(spec: ServerSpec): Promise<void> {
    const server = await ManagedServer.create(spec, this.#serverParts);
    const other = this.#byPrefix.get(server.prefix);
    if (other) throw new UsageError(`The servers "${other.name}" and "${spec.name}" have the same prefix.`);
    this.#servers.set(spec.name, server);
    this.#byPrefix.set(server.prefix, server);
    this.#notifyCallers(spec.name);
  }

  #update(server: ManagedServer, spec: ServerSpec): void {
    const isSame = JSON.stringify(spec) === JSON.stringify(server.spec);
    server.update(spec);
    if (isSame) return;
    if (spec.isDisabled) void server.restart();
    this.#notifyCallers(spec.name);
  }

  #notifyCallers(server: string): void {
    for (const caller of this.#callers.values()) caller.onServerChanged(server);
  }

  /** Ends a server that is gone from the files, or is reached in another way. */
  async #end(server: ManagedServer): Promise<void> {
    this.#remove(server);
    await server.close();
  }

  #remove(server: ManagedServer): void {
    this.#servers.delete(server.name);
    this.#byPrefix.delete(server.prefix);
    for (const caller of this.#callers.values()) caller.onServerClosed(server.name);
  }

  get #closed(): UsageError | undefined {
    return this.#isClosed ? new UsageError("The host is closed.") : undefined;
  }

  #makeRoom(): void {
    if (this.#closed) throw this.#closed;
    if (this.#callers.size < maxCallers) return;
    const unused = [...this.#callers].find(([, caller]) => !caller.isInUse);
    if (unused === undefined)
      throw new OverloadedError(`At most ${maxCallers} callers use a host at a time.`);
    const [scope, forgotten] = unused;
    this.#callers.delete(scope);
    forgotten.close();
  }

  #onState(server: ManagedServer): void {
    for (const listener of this.#listeners)
      callSafely(
        (problem) => this.#report(problem, server.name),
        () => listener(server),
      );
  }
}
