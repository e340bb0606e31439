import type { Principal } from "../../contract/caller/principal.ts";
import type { Pipe } from "../../contract/pipe.ts";
import { isServable, type Servable } from "../../contract/service.ts";
import { waitAtMost } from "../../lib/async/wait-at-most.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import { servePipe } from "../../peer/serve-pipe.ts";
import { createMemoryPipe } from "../../transports/memory/pipe.ts";
import { MessageNames, toMatchKey } from "./describe-message.ts";
import { compareValues, createReport, type Difference, type ReplayReport } from "./difference.ts";
import { FreeValues, withoutFree } from "./free-values.ts";
import { type Transcript, type TranscriptEntry, toContent, type WireMessage } from "./transcript.ts";

/** A server value, with the caller it takes us for if that matters, or the client's end of a pipe to any server. */
export type ReplayTarget = Servable | { readonly server: Servable; readonly principal?: Principal } | Pipe;

export interface ReplayOptions {
  /**
   * Places that may differ, such as `result.structuredContent.celsius`; `*` stands for one part, as in
   * `result.content[*].text`, and all below a place is ignored with it.
   */
  readonly ignore?: readonly string[] | undefined;
  /** The longest wait for a message that was recorded, in milliseconds. Default 2,000. */
  readonly waitMs?: number | undefined;
}

const defaultWaitMs = 2_000;

/** Has a recorded conversation again, in the place of the client. */
export async function replayToServer(
  transcript: Transcript,
  target: ReplayTarget,
  { ignore = [], waitMs = defaultWaitMs }: ReplayOptions,
): Promise<ReplayReport> {
  const pipe = openPipe(target);
  const inbox = new Inbox(pipe);
  const values = new FreeValues();
  const names = new MessageNames();
  const differences: Difference[] = [];
  try {
    for (const [index, entry] of transcript.entries.entries()) {
      const name = names.of(entry, index + 2);
      if (entry.from === "client") await pipe.write(toText(entry, values));
      else if (entry.message !== undefined) {
        const expected = values.translate(entry.message, "server");
        const actual = await inbox.take(toMatchKey(expected), waitMs);
        if (actual === undefined) differences.push({ kind: "missing", message: name, wire: entry.message });
        else {
          values.learn(entry.message, actual, "server");
          const changed = compareValues(
            withoutFree(entry.message, "server"),
            withoutFree(actual, "server"),
            ignore,
          );
          differences.push(
            ...changed.map((change) => ({ kind: "changed", message: name, ...change }) as const),
          );
        }
      }
    }
    await nextTurn();
    for (const wire of inbox.rest())
      differences.push({
        kind: "unexpected",
        message: names.of({ at: 0, from: "server", message: wire }),
        wire,
      });
  } finally {
    await pipe.close();
  }
  return createReport(differences);
}

function openPipe(target: ReplayTarget): Pipe {
  if (!isServable(target) && "write" in target) return target;
  const { server, principal } = isServable(target) ? { server: target } : target;
  const [near, far] = createMemoryPipe();
  servePipe(server, far, { principal });
  return near;
}

function toText({ message, text = "" }: TranscriptEntry, values: FreeValues): string {
  return message === undefined ? text : JSON.stringify(values.translate(message, "client"));
}

/** The messages of a live server that no recorded one was compared with yet. */
class Inbox {
  readonly #messages: WireMessage[] = [];
  #wake: () => void = () => {};
  #isClosed = false;

  constructor(pipe: Pipe) {
    pipe.start({
      onText: (text) => {
        const { message } = toContent(text);
        if (message !== undefined) this.#messages.push(message);
        this.#wake();
      },
      onUnreadable: () => {},
      onStrayOutput: () => {},
      onClose: () => {
        this.#isClosed = true;
        this.#wake();
      },
    });
  }

  /** The first message with this key; undefined if none comes in time. */
  async take(key: string, waitMs: number): Promise<WireMessage | undefined> {
    const endsAt = performance.now() + waitMs;
    for (;;) {
      const at = this.#messages.findIndex((message) => toMatchKey(message) === key);
      if (at >= 0) return this.#messages.splice(at, 1)[0];
      const left = endsAt - performance.now();
      if (this.#isClosed || left <= 0) return undefined;
      const arrival = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await waitAtMost(left, arrival, () => {});
    }
  }

  rest(): readonly WireMessage[] {
    return this.#messages;
  }
}
