import type { Client } from "../client/client.ts";
import type { AskContext } from "../client/incoming/custom-request-handler.ts";
import type { ConnectOptions, RootList } from "../client/options.ts";
import type { Mount } from "../contract/mount.ts";
import type { JsonObject } from "../lib/json.ts";
import type { RequestId } from "../protocol/message.ts";
import type { ElicitResult } from "../protocol/model/elicitation.ts";
import type { SamplingResult } from "../protocol/model/sampling.ts";
import { revisions } from "../protocol/revisions/index.ts";
import { invalidRequest } from "../protocol/wire-error.ts";
import type { AskCapabilities } from "./answered-questions.ts";
import type { Asker } from "./asker.ts";
import { passLog } from "./pass-log.ts";
import { RunningCalls } from "./running-calls.ts";

/** Connects to the server behind a bridge; its questions and logs are answered by these options. */
export type ConnectUpstream = (handlers: ConnectOptions) => Promise<Client>;

/** One connection to the server behind a bridge. Its questions and logs go to the callers whose calls run. */
export class Upstream {
  readonly client: Client;
  readonly mount: Mount;
  readonly #calls: RunningCalls;

  private constructor(client: Client, calls: RunningCalls) {
    this.client = client;
    this.mount = client["~mount"]();
    this.#calls = calls;
  }

  /** Connects with the capabilities of the callers, so that the server asks only what they can answer. */
  static async open(connectWith: ConnectUpstream, capabilities: AskCapabilities = {}): Promise<Upstream> {
    const calls = new RunningCalls();
    const client = await connectWith({
      ...toHandlers(calls, capabilities),
      onLog: (message, relatedTo) => {
        for (const call of calls.callsFor(relatedTo)) passLog(call, message);
      },
    });
    return new Upstream(client, calls);
  }

  /** Whether the server asks by results, and not by requests while a call runs. */
  get asksInRounds(): boolean {
    const { revision } = this.client.server;
    return revisions.find(({ version }) => version === revision)?.asking === "rounds";
  }

  /** Runs a call whose caller answers the questions of the server. */
  run<T>(asker: Asker, send: (onId: (id: RequestId) => void) => Promise<T>): Promise<T> {
    return this.#calls.run(asker, send);
  }
}

function toHandlers(
  calls: RunningCalls,
  { elicitation, sampling, roots }: AskCapabilities,
): Partial<ConnectOptions> {
  const ask = (method: string, params: object, { relatedTo, signal }: AskContext): Promise<JsonObject> => {
    const asker = calls.askerFor(relatedTo);
    // A question that belongs to no call reaches nobody: the bridge knows only callers.
    if (asker === undefined) throw invalidRequest(`Nobody can answer ${method}: it belongs to no call.`);
    return asker.ask(method, params as JsonObject, signal);
  };
  return {
    ...(elicitation && {
      elicit: async (asked, context) =>
        (await ask("elicitation/create", asked, context)) as unknown as ElicitResult,
    }),
    ...(sampling && {
      sample: async (asked, context) =>
        (await ask("sampling/createMessage", asked, context)) as unknown as SamplingResult,
    }),
    ...(roots && { roots: async (context) => (await ask("roots/list", {}, context)).roots as RootList }),
    capabilities: {
      ...(elicitation && { elicitation }),
      ...(sampling && { sampling }),
      ...(roots && { roots }),
    },
  };
}
