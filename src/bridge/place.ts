import type { Client } from "../client/client.ts";
import type { ServedSessions } from "../client/forward/served-sessions.ts";
import type { SharedUpstream } from "../client/forward/shared-upstream.ts";
import type { AskHandlers } from "../client/incoming/ask.ts";
import { OwnSubscriptions, type OwnSubscriptionsOptions } from "./own-subscriptions.ts";
import { type AskedClient, WaitingQuestions } from "./waiting-questions.ts";

/** An open connection to the server behind a bridge. */
export interface UpstreamConnection {
  readonly client: Client;
  readonly upstream: SharedUpstream;
  readonly sessions: ServedSessions;
  readonly subscriptions: OwnSubscriptions;
}

/** The place of one connection, which opens with its first use. */
export class Place {
  readonly key: string;
  readonly questions: WaitingQuestions = new WaitingQuestions(() => this.#asked);
  readonly #open: (handlers: AskHandlers) => Promise<Client>;
  readonly #options: OwnSubscriptionsOptions;
  #opening: Promise<UpstreamConnection> | undefined;
  /** Calls that use it, or wait until it is open. */
  users = 0;
  /** The sessions that receive what the server sends outside calls; undefined until it is open. */
  sessions: ServedSessions | undefined;
  /** The subscriptions of its session; undefined until it is open. */
  subscriptions: OwnSubscriptions | undefined;
  /**
   * The callers that are notified of changed lists over it; undefined until it is open, and in revisions with
   * `subscriptions/listen`: there the lists of a server are the same over every connection.
   *
   * server/tools#capabilities (2026-07-28)
   */
  listReaders: ServedSessions | undefined;
  /** The client that used it last; empty for one that is not asked. */
  #client: AskedClient = "";
  #hasOneClient = true;
  idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    key: string,
    open: (handlers: AskHandlers) => Promise<Client>,
    options: OwnSubscriptionsOptions,
  ) {
    this.key = key;
    this.#open = open;
    this.#options = options;
  }

  get opening(): Promise<UpstreamConnection> {
    this.#opening ??= this.#open(this.questions.handlers).then(async (client) => {
      const mount = client["~mount"]();
      const upstream = await mount.upstream();
      const sessions = await upstream.sessions();
      const subscriptions = new OwnSubscriptions({ mount, sessions }, this.#options);
      this.sessions = sessions;
      if (upstream.revision.subscribing !== "listen") this.listReaders = sessions;
      this.subscriptions = subscriptions;
      return { client, upstream, sessions, subscriptions };
    });
    return this.#opening;
  }

  get client(): AskedClient {
    return this.#client;
  }

  use(client: AskedClient): void {
    if (this.#client !== "" && this.#client !== client) this.#hasOneClient = false;
    this.#client = client;
    this.users++;
  }

  /** The session that alone has ever used the connection, by its id. */
  get onlySession(): string | undefined {
    return typeof this.#onlyClient === "string" ? this.#onlyClient : undefined;
  }

  /** The one that a question outside calls is for. One that another may have caused is for nobody. */
  get #asked(): AskedClient | undefined {
    return this.users > 0 ? this.#onlyClient : this.onlySession;
  }

  get #onlyClient(): AskedClient | undefined {
    return this.#hasOneClient && this.#client !== "" ? this.#client : undefined;
  }
}
