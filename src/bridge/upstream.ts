import type { Client } from "../client/client.ts";
import { connect } from "../client/connect/connect.ts";
import type { Target } from "../client/connect/target.ts";
import type { LogMessage } from "../client/incoming/notifications.ts";
import type { ConnectOptions, RootList } from "../client/options.ts";
import type { Mount } from "../contract/mount.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ElicitResult } from "../protocol/model/elicitation.ts";
import type { ClientCapabilities } from "../protocol/model/identity.ts";
import type { SamplingResult } from "../protocol/model/sampling.ts";
import { revisions } from "../protocol/revisions/index.ts";
import { invalidRequest } from "../protocol/wire-error.ts";
import type { Asker } from "./asker.ts";
import type { UpstreamOptions } from "./options.ts";
import { passLog } from "./pass-log.ts";

/** One connection to the server behind a bridge. Its questions and logs go to the callers whose calls run. */
export class Upstream {
  readonly client: Client;
  readonly mount: Mount;
  readonly #askers: Set<Asker>;

  private constructor(client: Client, askers: Set<Asker>) {
    this.client = client;
    this.mount = client["~mount"]();
    this.#askers = askers;
  }

  /** Connects with the capabilities of the callers, so that the server asks only what they can answer. */
  static async open(
    target: Target,
    options: UpstreamOptions,
    capabilities: ClientCapabilities = {},
  ): Promise<Upstream> {
    const askers = new Set<Asker>();
    const handlers = toHandlers(askers, capabilities);
    const onLog = (message: LogMessage) => passLog(latest(askers)?.call, message);
    const client = await connect(target, { tasks: true, ...options, ...handlers, onLog });
    return new Upstream(client, askers);
  }

  /** Whether the server asks by results, and not by requests while a call runs. */
  get asksInRounds(): boolean {
    const { revision } = this.client.server;
    return revisions.find(({ version }) => version === revision)?.asking === "rounds";
  }

  /** Runs a call whose caller answers the questions of the server. */
  async run<T>(asker: Asker, run: () => Promise<T>): Promise<T> {
    this.#askers.add(asker);
    try {
      return await run();
    } finally {
      this.#askers.delete(asker);
    }
  }
}

function toHandlers(
  askers: ReadonlySet<Asker>,
  { elicitation, sampling, roots }: ClientCapabilities,
): Partial<ConnectOptions> {
  const ask = (method: string, params: object, signal?: AbortSignal): Promise<JsonObject> => {
    const asker = latest(askers);
    // A question that belongs to no call reaches nobody: the bridge knows only callers.
    if (asker === undefined) throw invalidRequest(`Nobody can answer ${method}: no call is running.`);
    return asker.ask(method, params as JsonObject, signal);
  };
  return {
    ...(elicitation && {
      elicit: async (asked, { signal }) =>
        (await ask("elicitation/create", asked, signal)) as unknown as ElicitResult,
    }),
    ...(sampling && {
      sample: async (asked, { signal }) =>
        (await ask("sampling/createMessage", asked, signal)) as unknown as SamplingResult,
    }),
    ...(roots && { roots: async () => (await ask("roots/list", {})).roots as RootList }),
    capabilities: {
      ...(elicitation && { elicitation }),
      ...(sampling && { sampling }),
      ...(roots && { roots }),
    },
  };
}

function latest(askers: ReadonlySet<Asker>): Asker | undefined {
  return [...askers].at(-1);
}
