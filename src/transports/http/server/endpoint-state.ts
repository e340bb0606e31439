import type { Service } from "../../../contract/service.ts";
import { scopeState } from "../../../state/scoped-state.ts";
import type { State } from "../../../state/state.ts";
import { withAvailability } from "../../../state/store-availability.ts";
import type { SharedNode } from "./shared-node.ts";

/** A state that was given, as far as it belongs to the server of an endpoint. */
export interface EndpointState {
  readonly state: State;
  /** The endpoint among all that share the state; undefined where it is the only one. */
  readonly shared: SharedNode | undefined;
}

export async function openEndpointState(service: Service, given: State): Promise<EndpointState> {
  const state = scopeState(withAvailability(given), service.name);
  if (!state.isShared) return { state, shared: undefined };
  // Loaded on demand: without other nodes there is nothing to share.
  const { openNode } = await import("./shared-node.ts");
  return { state, shared: await openNode(service, state) };
}
