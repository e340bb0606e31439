import { memoryState } from "../state/memory/memory-state.ts";
import { reportDurability } from "../state/report-durability.ts";
import { scopeState } from "../state/scoped-state.ts";
import type { State } from "../state/state.ts";
import { withAvailability } from "../state/store-availability.ts";

/** The storage of a server, as far as its state goes. */
interface StateSource {
  readonly given: State | undefined;
  /** The name of the server. */
  readonly name: string;
  report(message: string, cause: unknown): void;
}

/** The own state of each server that had to keep something. Most never do. */
const own = new WeakMap<StateSource, State>();

/** The state of the transport, or the server's own. */
export function stateFor(storage: StateSource, ofTransport: State | undefined): State {
  if (ofTransport) return ofTransport;
  const known = own.get(storage);
  if (known) return known;
  if (storage.given) void reportDurability(storage.given, (message, cause) => storage.report(message, cause));
  const made = storage.given ? scopeState(withAvailability(storage.given), storage.name) : memoryState();
  own.set(storage, made);
  return made;
}
