import type { MessageDirection } from "../contract/channel.ts";
import type { HttpHead } from "../contract/transport.ts";
import { OnDemand } from "../lib/async/on-demand.ts";
import type { WireConnection } from "./wire-line.ts";

/**
 * Shows what goes over the wire, for debugging: `true` writes lines to standard error, a function receives them.
 *
 * Control characters are escaped, secrets are masked as far as they can be recognised, and long messages are cut.
 * Default: on if the environment variable ALLSPEAK_DEBUG is set.
 */
export type DebugOption = boolean | ((line: string) => void);

/** Hardly any process shows its messages. */
const wireLine = new OnDemand(() => import("./wire-line.ts"));

let connections = 0;

/** The lines about one connection, for debugging. */
export class DebugLog {
  readonly #write: (line: string) => void;
  readonly #connection: WireConnection;

  constructor(write: (line: string) => void, side: WireConnection["side"], revision?: string) {
    this.#write = write;
    this.#connection = { side, number: ++connections, revision };
  }

  /** Shows a message or a head that was sent or received now. */
  readonly show = (shown: string | HttpHead, direction: MessageDirection): void => {
    const event = { at: Date.now(), direction, shown };
    wireLine.tryUse(
      ({ toWireLine }) => this.#write(toWireLine(event, this.#connection)),
      (problem) => this.#write(`Can't show a message: ${problem}`),
    );
  };
}

/** Returns how lines are written; undefined where nothing is shown. */
export function readDebugOption(option: DebugOption | undefined): ((line: string) => void) | undefined {
  if (typeof option === "function") return option;
  return (option ?? isSet(globalThis.process?.env?.ALLSPEAK_DEBUG)) ? console.error : undefined;
}

/** The log of one connection; undefined where nothing is shown. */
export function openDebugLog(
  side: WireConnection["side"],
  option: DebugOption | undefined,
): DebugLog | undefined {
  const write = readDebugOption(option);
  return write && new DebugLog(write, side);
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && !/^(?:|0|false|off|no)$/i.test(variable);
}
