import type { MessageDirection } from "allspeak/client";
import { isObject, type JsonObject } from "../lib/json.ts";

/** One message of the opening of a connection. */
export interface NegotiationStep {
  /** Milliseconds since the connection was begun. */
  readonly atMs: number;
  readonly direction: MessageDirection;
  readonly what: string;
}

/** Notes the messages of a connection with their times. */
export class NegotiationRecorder {
  readonly steps: NegotiationStep[] = [];
  readonly #startedAt = performance.now();
  readonly #methods = new Map<unknown, string>();

  readonly record = (message: JsonObject | readonly unknown[], direction: MessageDirection): void => {
    for (const one of Array.isArray(message) ? message : [message]) {
      if (isObject(one)) this.steps.push({ atMs: this.elapsedMs, direction, what: this.#describe(one) });
    }
  };

  get elapsedMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 10) / 10;
  }

  #describe({ id, method, params, error, result }: JsonObject): string {
    if (typeof method === "string") {
      if (id !== undefined) this.#methods.set(id, method);
      const asked = isObject(params) ? params.protocolVersion : undefined;
      return typeof asked === "string" ? `${method} (${asked})` : method;
    }
    const answered = this.#methods.get(id) ?? "a request that is unknown";
    if (isObject(error)) return `error ${String(error.code)} for ${answered}: ${String(error.message)}`;
    const spoken = isObject(result) ? (result.supportedVersions ?? result.protocolVersion) : undefined;
    return `result of ${answered}${spoken === undefined ? "" : ` (${toWords(spoken)})`}`;
  }
}

/** Revisions that a server names; it may send anything. */
function toWords(spoken: unknown): string {
  const names = (Array.isArray(spoken) ? spoken : [spoken])
    .slice(0, 10)
    .map((name) => String(name).slice(0, 40));
  return names.join(", ");
}
