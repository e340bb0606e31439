import type { Call } from "../../contract/call.ts";
import { CapabilityError, NotInRevisionError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { neededCapability } from "../../protocol/method.ts";
import type { ElicitResult } from "../../protocol/model/elicitation.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { SamplingResult } from "../../protocol/model/sampling.ts";
import type { ConnectOptions, RootList } from "../options.ts";

/** The caller of a running call, who answers the questions of the server that it is forwarded to. */
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

/** Checks that a caller can be asked. A server that many callers share does not know what each of them declares. */
export function assertCanAnswer({ client, revision }: Call, method: string, params: JsonObject): void {
  const row = revision.methods.get(method);
  if (row === undefined) throw new NotInRevisionError(method, revision.version);
  const needed = neededCapability(row, params, client.capabilities);
  if (needed !== undefined && !hasCapability(client.capabilities, needed))
    throw new CapabilityError(needed, "client", method);
}

/** The handlers that put the questions of the server to a caller. */
export function toAskHandlers(asker: Asker): Pick<ConnectOptions, "elicit" | "sample" | "roots"> {
  const ask = async (method: string, params: object, signal: AbortSignal | undefined): Promise<unknown> =>
    asker.ask(method, params as JsonObject, signal);
  return {
    elicit: async (asked, { signal }) => (await ask("elicitation/create", asked, signal)) as ElicitResult,
    sample: async (asked, { signal }) =>
      (await ask("sampling/createMessage", asked, signal)) as SamplingResult,
    roots: async ({ signal }) => ((await ask("roots/list", {}, signal)) as JsonObject).roots as RootList,
  };
}
