import { Connections } from "../connections/connections.ts";
import { type Offers, toOfferedServers } from "../connections/offered.ts";
import { Conversations } from "../conversation/conversations.ts";
import type { ScriptedModel } from "../messages/question.ts";
import type { SessionView } from "../messages/session.ts";
import type { Events, EventType, PageEvent } from "../messages.ts";
import { Questions } from "../questions/questions.ts";
import { defaultModel } from "../questions/scripted-model.ts";
import { Recordings } from "../recordings/recordings.ts";
import { SeenTasks } from "../use/seen-tasks.ts";
import { PageSubscriptions } from "../use/subscriptions.ts";
import { WireFeed } from "../wire/wire-feed.ts";
import { type WireLimits, WireLog } from "../wire/wire-log.ts";
import { WireViews } from "../wire/wire-view.ts";
import { PageEventFeed } from "./page-event-feed.ts";

export interface InspectorSessionOptions {
  readonly offers: Offers;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly revisions: readonly string[];
  readonly command: string;
  readonly wireLimits?: WireLimits | undefined;
}

/** A page that receives events. */
export interface PageSink {
  send(event: PageEvent): void;
}

/** Everything that the pages of one inspector share: connections, questions, the wire. It outlives each page. */
export class InspectorSession {
  readonly connections: Connections;
  readonly questions: Questions;
  readonly conversations: Conversations = new Conversations();
  readonly recordings: Recordings = new Recordings();
  readonly subscriptions: PageSubscriptions;
  readonly tasks: SeenTasks = new SeenTasks();
  readonly wire: WireLog;
  readonly wireViews: WireViews;
  model: ScriptedModel = defaultModel;
  readonly options: InspectorSessionOptions;
  readonly #pages = new Set<PageSink>();
  readonly #feed: WireFeed;
  readonly #events = new PageEventFeed((event) => this.#tell(event));

  constructor(options: InspectorSessionOptions) {
    this.options = options;
    this.wire = new WireLog(() => this.#feed.onAppend(), options.wireLimits);
    this.wireViews = new WireViews(this.wire);
    this.#feed = new WireFeed(this.wire, (event) => this.emit("wire", event));
    this.subscriptions = new PageSubscriptions({
      onSubscription: (subscription) => this.emit("subscription", { subscription }),
      onClosed: (subscription) => this.emit("subscription-closed", { subscription }),
    });
    this.questions = new Questions({
      onQuestion: (question) => {
        this.emit("question", { question });
        this.conversations.onQuestion(question);
      },
      onClosed: (question, reason) => this.emit("question-closed", { question, reason }),
    });
    this.connections = new Connections({
      ...options,
      openRecording: (id) => this.recordings.open(id),
      wire: this.wire,
      listener: {
        onConnection: (connection) => this.emit("connection", { connection }),
        onStep: (connection, step) => this.emit("negotiation-step", { connection, step }),
        onHop: (connection, index, hop) => this.emit("auth-hop", { connection, index, hop }),
        onChange: (connection, change) => this.#emitLater("change", { connection, at: Date.now(), change }),
        onLog: (connection, message) => this.#emitLater("log", { connection, at: Date.now(), ...message }),
        onProblem: (connection, message) => this.#emitLater("problem", { connection, message }),
        ask: (connection, body, signal, seq) => this.questions.ask(connection, body, signal, seq),
        model: () => this.model,
      },
    });
  }

  /** Everything that a page shows at once. */
  get view(): Omit<SessionView, "secret"> {
    const { version, revisions, offers } = this.options;
    return {
      version,
      revisions,
      offered: toOfferedServers(offers),
      connections: this.connections.views,
      subscriptions: this.subscriptions.views,
      questions: this.questions.open,
      recordings: this.recordings.views,
      model: this.model,
      wire: this.wire.totals,
    };
  }

  /** Sends an event to every page. */
  emit<Type extends EventType>(type: Type, members: Events[Type]): void {
    this.#tell({ type, ...members } as PageEvent);
  }

  join(page: PageSink): void {
    this.#pages.add(page);
  }

  leave(page: PageSink): void {
    this.#pages.delete(page);
  }

  async close(): Promise<void> {
    this.#feed.stop();
    await this.conversations.closeAll();
    await this.connections.close();
    this.#events.stop();
  }

  #emitLater<Type extends "change" | "log" | "problem">(type: Type, members: Events[Type]): void {
    this.#events.add({ type, ...members } as PageEvent);
  }

  #tell(event: PageEvent): void {
    for (const page of this.#pages) page.send(event);
  }
}
