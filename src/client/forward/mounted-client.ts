import type { Call } from "../../contract/call.ts";
import type { Mount, PrefixedKind } from "../../contract/mount/mount.ts";
import type { MountTasks } from "../../contract/mount/mount-tasks.ts";
import type { ServerEvent } from "../../contract/server-event.ts";
import { ConnectionClosedError, OverloadedError } from "../../errors.ts";
import { OnDemand } from "../../lib/async/on-demand.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ListName } from "../../protocol/method.ts";
import type { ServerCapabilities } from "../../protocol/model/identity.ts";
import type { Report } from "../report.ts";
import type { JoinedSubscriptions } from "../subscriptions/joined-subscriptions.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import { hasServerTasks } from "../tasks/declared-tasks.ts";
import type { MountableClient } from "./mountable-client.ts";
import type { SharedUpstream } from "./shared-upstream.ts";

/** The resources that are watched upstream; callers decide how many there are. */
const maxWatched = 10_000;
/** Other servers may take fewer in one subscription than this library, which takes 1,000. */
const maxJoined = 500;

/** A connected client as a mount of another server: all callers share its connection. */
export class MountedClient implements Mount {
  readonly #client: MountableClient;
  readonly #report: Report;
  readonly #watched: OnDemand<JoinedSubscriptions>;
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
    this.#watched = new OnDemand(async () => {
      const { JoinedSubscriptions } = await import("../subscriptions/joined-subscriptions.ts");
      return new JoinedSubscriptions({
        maxJoined: client.revision.subscribing === "listen" ? maxJoined : 1,
        subscribe: (filter) => client.subscribe(filter),
        report,
      });
    });
    // Loaded with the mount, so that callers do not wait.
    void this.#watched.use(() => {});
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
    await this.#watched.use((watched) => {
      if (!watched.has(uri) && watched.size >= maxWatched)
        throw new OverloadedError(`At most ${maxWatched} resources of one client are watched.`);
      return watched.watch(uri);
    });
  }

  unwatch(uri: string): void {
    void this.#watched.use((watched) => watched.unwatch(uri));
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
    const lists = this.#followLists();
    void this.#client.closed.then(() => {
      if (isListening) for (const kind of changingKinds(this.capabilities)) listener({ kind });
    });
    return () => {
      isListening = false;
      stop();
      void messages.then((stopMessages) => stopMessages());
      void this.#watched.use((watched) => watched.close());
      void lists.then((subscription) => subscription?.close()).catch(this.#report);
    };
  }

  /** Subscribes to changes of lists, in revisions where they come only to subscribers. */
  async #followLists(): Promise<Subscription | undefined> {
    const { tools, prompts, resources } = this.capabilities;
    const filter = {
      tools: tools?.listChanged === true,
      prompts: prompts?.listChanged === true,
      resourceList: resources?.listChanged === true,
    };
    // A server without changes may have no room for subscriptions at all.
    if (!Object.values(filter).includes(true)) return undefined;
    try {
      return await this.#client.subscribe(filter);
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
