import type { Call } from "../../contract/call.ts";
import { expectElicitation } from "../../contract/server-event.ts";
import { CapabilityError, McpError, NotInRevisionError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { encodeAsk, neededCapability } from "../../protocol/ask/ask.ts";
import { missingAskFeature } from "../../protocol/ask/ask-rules.ts";
import type { ElicitResult } from "../../protocol/model/elicitation.ts";
import { hasCapability } from "../../protocol/model/identity.ts";
import type { SamplingResult } from "../../protocol/model/sampling.ts";
import { HostRefusal } from "../incoming/answer-ask.ts";
import type { AskHandlers } from "../incoming/ask.ts";
import { markForwarded } from "../incoming/forwarded-answer.ts";
import type { RootsResult } from "../options.ts";
import { withoutOwnMeta } from "./passed-options.ts";

/** The caller of a running call, who answers the questions of the server that it is forwarded to. */
export interface Asker {
  readonly call: Call;
  ask(method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject>;
}

/** A caller that is asked while its call runs. */
export function liveAsker(call: Call): Asker {
  return {
    call,
    ask: (method, params, signal) => {
      const { session } = call;
      const asked = toAskParams(call, method, params);
      if (session && typeof asked.elicitationId === "string") expectElicitation(session, asked.elicitationId);
      return call.ask(method, asked, { signal: signal ?? call.signal });
    },
  };
}

/** The params of a question in the form of the caller's revision. */
export function toAskParams({ revision }: Call, method: string, params: JsonObject): JsonObject {
  const passed = withoutOwnMeta(params);
  const { elicitationId = crypto.randomUUID(), ...others } = passed;
  const isUrl = method === "elicitation/create" && params.mode === "url";
  const asked = isUrl ? { ...others, ...(revision.hasElicitationIds && { elicitationId }) } : passed;
  return encodeAsk(revision, method, asked);
}

/** Checks that a caller can be asked; throws the error that the server is to read. */
export function assertAskable(call: Call, method: string, params: JsonObject): void {
  try {
    assertCanAnswer(call, method, params);
  } catch (error) {
    throw error instanceof McpError ? new HostRefusal(error) : error;
  }
}

/** Checks that a caller can be asked. A server that many callers share does not know what each of them declares. */
export function assertCanAnswer({ client, revision }: Call, method: string, params: JsonObject): void {
  const feature = missingAskFeature(revision, method, params);
  if (feature !== undefined) throw new NotInRevisionError(feature, revision.version);
  const row = revision.methods.get(method);
  if (row === undefined) throw new NotInRevisionError(method, revision.version);
  const needed = neededCapability(row, params, client.capabilities);
  if (needed !== undefined && !hasCapability(client.capabilities, needed))
    throw new CapabilityError(needed, "client", method);
}

/** The handlers that put the questions of the server to a caller. */
export function toAskHandlers(asker: Pick<Asker, "ask">): AskHandlers {
  const ask = async (method: string, params: object, signal: AbortSignal | undefined): Promise<unknown> =>
    asker.ask(method, params as JsonObject, signal);
  return {
    elicit: async (asked, { signal }) =>
      markForwarded((await ask("elicitation/create", asked, signal)) as ElicitResult),
    sample: async (asked, { signal }) =>
      (await ask("sampling/createMessage", asked, signal)) as SamplingResult,
    roots: async ({ signal, params }) => (await ask("roots/list", params, signal)) as RootsResult,
  };
}
