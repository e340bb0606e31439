import type { HeaderRecord } from "../contract/channel.ts";
import type { Pipe, PipeSink } from "../contract/pipe.ts";
import type { RequestId, RpcNotification, RpcRequest } from "../protocol/message.ts";

/** A pipe around another one. Those that derive from it change what goes through. */
export class WrappedPipe implements Pipe {
  readonly inner: Pipe;
  readonly settled?: NonNullable<Pipe["settled"]>;
  readonly pauseUntil?: NonNullable<Pipe["pauseUntil"]>;
  readonly started?: Promise<void>;

  constructor(inner: Pipe) {
    this.inner = inner;
    const { started } = inner;
    if (inner.settled) this.settled = (id, by) => inner.settled?.(id, by);
    if (inner.pauseUntil) this.pauseUntil = (ready) => inner.pauseUntil?.(ready);
    if (started !== undefined) this.started = started;
  }

  get kind(): string {
    return this.inner.kind;
  }

  get coalescesWrites(): boolean {
    return this.inner.coalescesWrites === true;
  }

  get closesPerRequest(): boolean {
    return this.inner.closesPerRequest === true;
  }

  explainSilence(): Error | undefined {
    return this.inner.explainSilence?.();
  }

  start(sink: PipeSink): void {
    this.inner.start({
      onText: (text, inReplyTo) => this.receive(sink, text, inReplyTo),
      onUnreadable: (problem, isResponse) => sink.onUnreadable(problem, isResponse),
      onStrayOutput: (text) => sink.onStrayOutput(text),
      onActivity: (id) => sink.onActivity?.(id),
      hold: () => sink.hold?.() ?? (() => {}),
      timeLeft: (id) => sink.timeLeft?.(id) ?? Number.POSITIVE_INFINITY,
      onClose: (error) => sink.onClose(error),
    });
  }

  write(text: string, message?: RpcRequest | RpcNotification, headers?: HeaderRecord): void | Promise<void> {
    return this.inner.write(text, message, headers);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** Passes a text on that has arrived. */
  protected receive(sink: PipeSink, text: string, inReplyTo: RequestId | undefined): void {
    sink.onText(text, inReplyTo);
  }
}
