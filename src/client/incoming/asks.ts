import { OnDemand } from "../../lib/async/on-demand.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { RootList } from "../options.ts";
import type { Ask, AskHandlers, AskParts, AskRoute } from "./ask.ts";
import { toRoots } from "./roots.ts";

/** The questions of the server: they go to the host's handlers, or to the caller of a call that is passed on. */
export class Asks {
  #parts: AskParts;
  readonly #answering: OnDemand<Awaited<ReturnType<typeof loadAnswering>>>;

  private constructor(parts: AskParts) {
    this.#parts = parts;
    this.#answering = new OnDemand(() => loadAnswering(parts.handlers));
  }

  /** Loads what the handlers of this host need, and no more: most servers never ask. */
  static async create(parts: AskParts): Promise<Asks> {
    const { handlers, custom } = parts;
    const asks = new Asks(parts);
    if (handlers.elicit || handlers.sample || handlers.roots || custom) await asks.#answering.use(() => {});
    return asks;
  }

  /** From now on, questions go to the handlers that the route gives for them, if it gives any. */
  routeBy(route: AskRoute): void {
    this.#parts = { ...this.#parts, route };
  }

  setRoots(roots: RootList): void {
    const { handlers } = this.#parts;
    this.#parts = { ...this.#parts, handlers: { ...handlers, roots: toRoots(roots) } };
  }

  /** Rejects with an `RpcError` when the server asked for what it may not, or asked it badly. */
  async answer(ask: Ask): Promise<JsonObject> {
    return this.#answering.use(({ answerAsk, ...answers }) => answerAsk({ ...this.#parts, ...answers }, ask));
  }
}

async function loadAnswering({ elicit, sample }: AskHandlers) {
  const [answering, elicitation, sampling] = await Promise.all([
    import("./answer-ask.ts"),
    elicit && import("./elicitation.ts"),
    sample && import("./sampling.ts"),
  ]);
  return { answerAsk: answering.answerAsk, ...elicitation, ...sampling };
}
