import type { ServerEvent } from "../contract/mount.ts";
import type { JsonObject } from "../lib/json.ts";

type Send = (method: string, params: JsonObject) => Promise<void>;

/**
 * Changes on their way to one client.
 *
 * A change that is still waiting is told once, however often it happens: one of each list, one of
 * each resource that is subscribed to. So a client that reads slowly has no queue grow without end.
 */
export class ChangeNotifier {
  readonly #send: Send;
  readonly #onFailure: (error: Error) => void;
  readonly #waiting = new Map<string, ServerEvent>();
  #sending: Promise<void> | undefined;

  /** None is sent before `first` has settled. */
  constructor(send: Send, onFailure: (error: Error) => void, first?: Promise<void>) {
    this.#send = send;
    this.#onFailure = onFailure;
    this.#sending = first && this.#sendAll(first);
  }

  notify(news: ServerEvent): void {
    this.#waiting.set(toKey(news), news);
    this.#sending ??= this.#sendAll();
  }

  /** Settles when nothing waits. */
  async idle(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(first?: Promise<void>): Promise<void> {
    try {
      if (first !== undefined) await first;
      // What is added meanwhile is taken as well.
      for (const [key, news] of this.#waiting) {
        this.#waiting.delete(key);
        await this.#send(...toNotice(news));
      }
    } catch (error) {
      this.#waiting.clear();
      this.#onFailure(error as Error);
    } finally {
      this.#sending = undefined;
    }
  }
}

function toKey(news: ServerEvent): string {
  if (news.kind === "resource") return `resource ${news.uri}`;
  return news.kind === "visit" ? `visit ${news.id}` : news.kind;
}

function toNotice(news: ServerEvent): [method: string, params: JsonObject] {
  switch (news.kind) {
    case "resource":
      return ["notifications/resources/updated", { uri: news.uri }];
    case "visit":
      return ["notifications/elicitation/complete", { elicitationId: news.id }];
    default:
      return [`notifications/${news.kind}/list_changed`, {}];
  }
}
