import type { Call } from "../contract/call.ts";
import type { HttpView } from "../contract/caller/http-view.ts";
import type { ContextValues } from "../contract/context-key.ts";
import type { JsonObject } from "../lib/json.ts";
import type { State } from "../state/state.ts";

export interface CallChanges {
  readonly params: JsonObject;
  readonly given?: ContextValues | undefined;
  readonly state?: State | undefined;
  readonly path?: readonly string[] | undefined;
  readonly secrets?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly ask?: Call["ask"] | undefined;
  readonly notify?: Call["notify"] | undefined;
}

/** A call of the same caller with other params, for a mount or after a middleware. */
export function deriveCall(call: Call, changes: CallChanges): Call {
  const { params, given = call.given, state = call.state, path = call.path } = changes;
  const { secrets = call.secrets } = changes;
  return {
    id: call.id,
    method: call.method,
    params,
    path,
    revision: call.revision,
    client: call.client,
    principal: call.principal,
    address: call.address,
    given,
    session: call.session,
    state,
    secrets,
    waitUntil: call.waitUntil,
    onChanged: (change) => call.onChanged?.(change),
    get http(): HttpView | undefined {
      return call.http;
    },
    get signal() {
      return changes.signal ?? call.signal;
    },
    get closing() {
      return call.closing;
    },
    notify: changes.notify ?? ((name, notification) => call.notify(name, notification)),
    disconnect: () => call.disconnect(),
    ask: changes.ask ?? ((name, question, options) => call.ask(name, question, options)),
  };
}
