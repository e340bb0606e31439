import type { Pipe, PipeSink } from "../../contract/pipe.ts";
import type { RequestId } from "../../protocol/message.ts";
import { WrappedPipe } from "../wrapped-pipe.ts";
import type { Side } from "./transcript.ts";

/** The server's end of a pipe, of which everything is passed on to a recording. */
export class RecordedPipe extends WrappedPipe {
  readonly #add: (from: Side, text: string) => void;

  constructor(inner: Pipe, add: (from: Side, text: string) => void) {
    super(inner);
    this.#add = add;
  }

  override write(...given: Parameters<Pipe["write"]>): void | Promise<void> {
    this.#add("server", given[0]);
    return super.write(...given);
  }

  protected override receive(sink: PipeSink, text: string, inReplyTo: RequestId | undefined): void {
    this.#add("client", text);
    super.receive(sink, text, inReplyTo);
  }
}
