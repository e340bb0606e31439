import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import { isObject } from "../../lib/json.ts";
import type { RequestId } from "../../protocol/message.ts";
import { toContent } from "../transcript/transcript.ts";
import { WrappedPipe } from "../wrapped-pipe.ts";
import type { FaultKind, FaultPlan, FaultTarget, InjectedFault } from "./fault.ts";

type Deliver = () => void | Promise<void>;

const kinds: readonly FaultKind[] = ["cut", "drop", "duplicate", "reorder", "delay"];
/** Answers that come with a connection of their own, which its `fetch` can lose or delay. */
const cutOnly: readonly FaultKind[] = ["cut"];

/** The longest time that a message waits for the one that is to overtake it. */
const overtakeMs = 20;

/** A pipe whose messages meet the faults of a plan. */
export class FaultyPipe extends WrappedPipe {
  readonly #plan: FaultPlan;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  /** Messages that wait for the next one of their direction. */
  readonly #overtaken: Record<FaultTarget["direction"], Deliver[]> = { sent: [], received: [] };
  #sink: PipeSink | undefined;

  constructor(inner: Pipe, plan: FaultPlan) {
    super(inner);
    this.#plan = plan;
  }

  override start(sink: PipeSink): void {
    this.#sink = sink;
    super.start(sink);
  }

  override write(...given: Parameters<Pipe["write"]>): void | Promise<void> {
    return this.#pass("sent", given[0], () => super.write(...given));
  }

  override close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    return super.close();
  }

  protected override receive(sink: PipeSink, text: string, inReplyTo: RequestId | undefined): void {
    void this.#pass("received", text, () => super.receive(sink, text, inReplyTo));
  }

  #pass(direction: FaultTarget["direction"], text: string, deliver: Deliver): void | Promise<void> {
    const possible = direction === "received" && this.closesPerRequest ? cutOnly : kinds;
    const fault = this.#plan.next(direction, methodOf(text), possible);
    if (fault === undefined) return this.#deliver(direction, deliver);
    switch (fault.kind) {
      case "drop":
        return;
      case "cut":
        return this.#cut(fault);
      case "duplicate":
        void deliver();
        return this.#deliver(direction, deliver);
      case "delay":
        return this.#later(this.#plan.delayMs(direction), deliver);
      default:
        this.#overtaken[direction].push(deliver);
        return this.#later(overtakeMs, () => this.#release(direction));
    }
  }

  /** Delivers a message, and after it those that it was to overtake. */
  #deliver(direction: FaultTarget["direction"], deliver: Deliver): void | Promise<void> {
    const delivered = deliver();
    this.#release(direction);
    return delivered;
  }

  #release(direction: FaultTarget["direction"]): void {
    for (const deliver of this.#overtaken[direction].splice(0)) void deliver();
  }

  #later(ms: number, deliver: Deliver): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void deliver();
    }, ms);
    this.#timers.add(timer);
  }

  #cut(fault: InjectedFault): void {
    this.#sink?.onClose(this.#plan.toError(fault));
    void this.close();
  }
}

function methodOf(text: string): string | undefined {
  const { message } = toContent(text);
  return isObject(message) && typeof message.method === "string" ? message.method : undefined;
}
