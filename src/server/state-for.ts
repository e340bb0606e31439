import { memoryState } from "../state/memory/memory-state.ts";
import { reportDurability } from "../state/report-durability.ts";
import { scopeState } from "../state/scoped-state.ts";
import type { State } from "../state/state.ts";
import { withAvailability } from "../state/store-availability.ts";
import type { ServerSettings } from "./catalog/catalog.ts";

/** The settings of a server, as far as its state goes. */
type StateSettings = Pick<ServerSettings, "state" | "info" | "log">;

/** The own state of each server that had to keep something. Most never do. */
const own = new WeakMap<StateSettings, State>();

/** The state of the transport, or the server's own. */
export function stateFor(settings: StateSettings, ofTransport: State | undefined): State {
  if (ofTransport) return ofTransport;
  const known = own.get(settings);
  if (known) return known;
  const { state, info, log } = settings;
  if (state)
    reportDurability(state, (message, cause) => log({ message, cause })).catch((cause: unknown) =>
      log({ message: "The state can't be used", cause }),
    );
  const made = state ? scopeState(withAvailability(state), info.name) : memoryState();
  own.set(settings, made);
  return made;
}
