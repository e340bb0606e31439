import { ConnectionClosedError, OverloadedError } from "../../errors.ts";
import type { ServerCapabilities } from "../../protocol/model/identity.ts";
import type { MountableClient } from "../forward/mountable-client.ts";
import type { Report } from "../report.ts";
import { JoinedSubscriptions } from "./joined-subscriptions.ts";
import type { Subscription } from "./subscription.ts";

/** The resources that are watched upstream; callers decide how many there are. */
const maxWatched = 10_000;
/** Other servers may take fewer in one subscription than this library, which takes 1,000. */
const maxJoined = 500;

/** The subscriptions of a mounted client: to resources that callers watch, and to changes of lists. */
export class UpstreamChanges {
  readonly #client: MountableClient;
  readonly #report: Report;
  readonly #watched: JoinedSubscriptions;

  constructor(client: MountableClient, report: Report) {
    this.#client = client;
    this.#report = report;
    this.#watched = new JoinedSubscriptions({
      maxJoined: client.revision.subscribing === "listen" ? maxJoined : 1,
      subscribe: (filter) => client.subscribe(filter),
      report,
    });
  }

  watch(uri: string): Promise<void> {
    if (!this.#watched.has(uri) && this.#watched.size >= maxWatched)
      throw new OverloadedError(`At most ${maxWatched} resources of one client are watched.`);
    return this.#watched.watch(uri);
  }

  unwatch(uri: string): void {
    this.#watched.unwatch(uri);
  }

  /** Subscribes to changes of lists, in revisions where they come only to subscribers. Returns a function that ends both. */
  follow({ tools, prompts, resources }: ServerCapabilities): () => void {
    const lists = this.#subscribe({
      tools: tools?.listChanged === true,
      prompts: prompts?.listChanged === true,
      resourceList: resources?.listChanged === true,
    });
    return () => {
      this.#watched.close();
      void lists.then((subscription) => subscription?.close()).catch(this.#report);
    };
  }

  async #subscribe(filter: Readonly<Record<string, boolean>>): Promise<Subscription | undefined> {
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
