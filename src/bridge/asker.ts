import type { Call } from "../contract/call.ts";
import type { JsonObject } from "../lib/json.ts";

/** The caller of a running call, who answers the questions of the server behind the bridge. */
export interface Asker {
  readonly call: Call;
  ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject>;
}

/** A caller that is asked while its call runs. */
export function liveAsker(call: Call): Asker {
  return {
    call,
    ask: (method, params, signal) =>
      call.ask(method, call.revision.encode.params(method, params), { signal: signal ?? call.signal }),
  };
}
