import type { Call } from "../../contract/call.ts";
import type { Mount, PrefixedKind } from "../../contract/mount/mount.ts";
import type { MountTasks } from "../../contract/mount/mount-tasks.ts";
import type { ServerEvent } from "../../contract/server-event.ts";
import { ConnectionClosedError } from "../../errors.ts";
import { OnDemand } from "../../lib/async/on-demand.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ListName } from "../../protocol/method.ts";
import type { ServerCapabilities } from "../../protocol/model/identity.ts";
import type { Report } from "../report.ts";
import type { UpstreamChanges } from "../subscriptions/upstream-changes.ts";
import { hasServerTasks } from "../tasks/declared-tasks.ts";
import type { MountableClient } from "./mountable-client.ts";
import type { SharedUpstream } from "./shared-upstream.ts";

/** A connected client as a mount of another server: all callers share its connection. */
export class MountedClient implements Mount {
  readonly #client: MountableClient;
  readonly #report: Report;
  readonly #changes: OnDemand<UpstreamChanges>;
  /** The names of the last lists. */
  readonly #names = new Map<ListName, ReadonlySet<string>>();
  #upstream: Promise<SharedUpstream> | undefined;
  /** The same, once it is loaded. */
  #loaded: SharedUpstream | undefined;
  /** The reason why the connection has closed. */
  #closed: Error | undefined;
  #isFollowed = false;

  constructor(client: MountableClient, report: Report) {
    this.#client = client;
    this.#report = report;
    this.#changes = new OnDemand(async () => {
      const { UpstreamChanges } = await import("../subscriptions/upstream-changes.ts");
      return new UpstreamChanges(client, report);
    });
    // Loaded with the mount, so that callers do not wait.
    void this.#changes.use(() => {});
    void client.closed.then((reason) => {
      this.#closed = reason;
      void this.#upstream?.then((upstream) => upstream.close());
    });
  }

  get name(): string | undefined {
    return this.#client.server.info?.name;
  }

  get capabilities(): ServerCapabilities {
    const { server, revision } = this.#client;
    const { prompts, resources } = server.capabilities;
    // A revision in which servers complete without declaring it.
    const mayComplete = revision.methods.get("completion/complete")?.needs === undefined;
    return mayComplete && (prompts ?? resources)
      ? { ...server.capabilities, completions: {} }
      : server.capabilities;
  }

  /** There are none before the first call. */
  get tasks(): MountTasks | undefined {
    if (!hasServerTasks(this.#client)) return undefined;
    return this.#loaded?.tasks ?? { has: () => false, list: () => [], request: (call) => this.request(call) };
  }

  has(kind: PrefixedKind, name: string): boolean | undefined {
    return this.#names.get(kind)?.has(name);
  }

  async request(call: Call): Promise<JsonObject> {
    // A list in the cache outlives the connection, but what it names can't be used.
    if (this.#closed) throw new ConnectionClosedError("The connection is closed.", { cause: this.#closed });
    return (await this.upstream()).request(call);
  }

  /** The connection that calls are forwarded over; few clients are mounted, and the others do not load it. */
  upstream(): Promise<SharedUpstream> {
    this.#upstream ??= import("./shared-upstream.ts").then(({ SharedUpstream }) => {
      this.#loaded = new SharedUpstream(this.#client, {
        names: this.#names,
        report: this.#report,
        isFollowed: () => this.#isFollowed,
      });
      return this.#loaded;
    });
    return this.#upstream;
  }

  async watch(uri: string, call?: Call): Promise<void> {
    await (await this.upstream()).count(call ?? { session: undefined, principal: undefined });
    await this.#changes.use((changes) => changes.watch(uri));
  }

  unwatch(uri: string): void {
    void this.#changes.use((changes) => changes.unwatch(uri));
  }

  async setLogLevel(call: Call): Promise<void> {
    await this.upstream()
      .then((upstream) => upstream.setLogLevel(call))
      .catch(this.#report);
  }

  onChange(listener: (event: ServerEvent) => void): () => void {
    let isListening = true;
    this.#isFollowed = true;
    const stop = this.#client.onChange(listener);
    const messages = this.upstream()
      .then((upstream) => upstream.sessions())
      .then((sessions) => sessions.onEvent(listener));
    const following = Promise.resolve(this.#changes.use((changes) => changes.follow(this.capabilities)));
    void this.#client.closed.then(() => {
      if (isListening) for (const kind of changingKinds(this.capabilities)) listener({ kind });
    });
    return () => {
      isListening = false;
      stop();
      void messages.then((stopMessages) => stopMessages());
      void following.then((stopFollowing) => stopFollowing());
    };
  }
}

/** The lists that lose their items when the server is gone. */
function changingKinds(capabilities: ServerCapabilities) {
  return (["tools", "prompts", "resources"] as const).filter((kind) => capabilities[kind] !== undefined);
}
