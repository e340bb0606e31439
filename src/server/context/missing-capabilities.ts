import { CapabilityError } from "../../errors.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";

/**
 * The capabilities that the questions of one run need and its client lacks.
 *
 * Questions that are asked in parallel are refused together: the error names all that the client must declare.
 */
export class MissingCapabilities {
  readonly #found = new Map<string, CapabilityError>();
  #refusal: Promise<CapabilityError> | undefined;

  /** Resolves with one error for all questions of this turn. */
  join(error: CapabilityError): Promise<CapabilityError> {
    this.#found.set(error.capability, error);
    this.#refusal ??= this.#refuse(error);
    return this.#refusal;
  }

  async #refuse(first: CapabilityError): Promise<CapabilityError> {
    await nextTurn();
    this.#refusal = undefined;
    if (this.#found.size === 1) return first;
    return new CapabilityError([...this.#found.keys()], "client", "Asking in parallel");
  }
}
