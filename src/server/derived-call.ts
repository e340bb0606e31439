import type { Call } from "../peer/call.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { State } from "../state/state.ts";

/** The same caller asking something else, as a mounted server is asked. */
export function deriveCall(
  call: Call,
  method: string,
  params: JsonObject,
  state: State | undefined = call.state,
): Call {
  return {
    id: call.id,
    method,
    params,
    revision: call.revision,
    client: call.client,
    principal: call.principal,
    address: call.address,
    session: call.session,
    state,
    get signal() {
      return call.signal;
    },
    get closing() {
      return call.closing;
    },
    notify: (name, notification) => call.notify(name, notification),
    disconnect: () => call.disconnect(),
    ask: (name, question, options) => call.ask(name, question, options),
  };
}
