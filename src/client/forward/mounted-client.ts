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
  /** The connection that calls are forwarded over. */
  readonly #upstream: OnDemand<SharedUpstream>;
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
    this.#upstream = new OnDemand(async () => {
      const { SharedUpstream } = await import("./shared-upstream.ts");
      const isFollowed = () => this.#isFollowed;
      return new SharedUpstream(client, { names: this.#names, report, isFollowed });
    });
    // Loaded with the mount, so that callers do not wait.
    this.#changes.tryUse(() => {}, report);
    void client.closed.then((reason) => {
      this.#closed = reason;
      if (this.#upstream.used) this.#upstream.tryUse((upstream) => upstream.close(), report);
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
    return (
      this.#upstream.loaded?.tasks ?? {
        has: () => false,
        list: () => [],
        request: (call) => this.request(call),
      }
    );
  }

  has(kind: PrefixedKind, name: string): boolean | undefined {
    return this.#names.get(kind)?.has(name);
  }

  async request(call: Call): Promise<JsonObject> {
    // A list in the cache outlives the connection, but what it names can't be used.
    if (this.#closed) throw new ConnectionClosedError("The connection is closed.", { cause: this.#closed });
    return this.#upstream.use((upstream) => upstream.request(call));
  }

  async upstream(): Promise<SharedUpstream> {
    return this.#upstream.use((upstream) => upstream);
  }

  async watch(uri: string, call?: Call): Promise<void> {
    await this.#upstream.use((upstream) =>
      upstream.count(call ?? { session: undefined, principal: undefined }),
    );
    await this.#changes.use((changes) => changes.watch(uri));
  }

  unwatch(uri: string): void {
    this.#changes.tryUse((changes) => changes.unwatch(uri), this.#report);
  }

  async setLogLevel(call: Call): Promise<void> {
    await this.upstream()
      .then((upstream) => upstream.setLogLevel(call))
      .catch(this.#report);
  }

  onChange(listener: (event: ServerEvent) => void): () => void {
    this.#isFollowed = true;
    let isListening = true;
    const stops = [this.#client.onChange(listener)];
    const onStop = (stop: () => void) => (isListening ? stops.push(stop) : stop());
    this.#upstream.tryUse(
      async (upstream) => onStop((await upstream.sessions()).onEvent(listener)),
      this.#report,
    );
    this.#changes.tryUse((changes) => onStop(changes.follow(this.capabilities)), this.#report);
    void this.#client.closed.then(() => {
      if (isListening) for (const kind of changingKinds(this.capabilities)) listener({ kind });
    });
    return () => {
      isListening = false;
      for (const stop of stops) stop();
    };
  }
}

/** The lists that lose their items when the server is gone. */
function changingKinds(capabilities: ServerCapabilities) {
  return (["tools", "prompts", "resources"] as const).filter((kind) => capabilities[kind] !== undefined);
}
