import type { NodeService } from "../contract/service.ts";
import { Throttle } from "../lib/async/throttle.ts";
import type { State } from "../state/state.ts";
import { Bus } from "./bus.ts";
import { Inbox } from "./inbox.ts";
import { Liveness } from "./liveness.ts";
import { createNodeId } from "./node-id.ts";
import { NodeQuestions } from "./questions.ts";
import { SessionShares, type ShareOptions } from "./session-shares.ts";

/** One endpoint among those that share a state, and its ways to reach the others. */
export class ClusterNode {
  readonly id: string = createNodeId();
  readonly state: State;
  readonly service: NodeService;
  readonly bus: Bus;
  readonly inbox: Inbox;
  readonly liveness: Liveness;
  readonly questions: NodeQuestions;
  #next = 1;

  constructor(state: State, service: NodeService, report: (message: string, cause: unknown) => void) {
    const { events, values } = state;
    const reports = new Throttle(10_000);
    // A store that is away fails again and again.
    const reportNowAndThen = (message: string, cause: unknown) => {
      if (reports.isDue()) report(message, cause);
    };
    this.state = state;
    this.service = service;
    this.bus = new Bus({ events, values, report: reportNowAndThen });
    this.inbox = new Inbox({ events, node: this.id, report: reportNowAndThen });
    this.questions = new NodeQuestions(this);
    this.liveness = new Liveness(values, this.id, reportNowAndThen);
  }

  /** Takes notes and messages, and reports that it is alive. A store that is away delays it. */
  start(): void {
    this.liveness.start();
    this.inbox.start();
    // A failure is reported where a message is needed, and the next look may succeed.
    this.bus.follow().catch(() => {});
  }

  /** The shares of callers in what this node and the others store for sessions. */
  openShares(options: ShareOptions): SessionShares {
    return new SessionShares(this.state.counters, options);
  }

  /** An id that names this node, with a character between that suits its use. */
  nextId(separator: "." | "_"): string {
    return `${this.id}${separator}${(this.#next++).toString(16)}`;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.bus.close(), this.inbox.close(), this.liveness.close()]);
  }
}
