import type { JsonObject } from "../../lib/json.ts";

/** The requests that a server may put to its client in the middle of a call. */
export type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** An unfinished call: the questions that the client must answer before it calls again. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: {
    readonly [key: string]: { readonly method: string; readonly params?: JsonObject };
  };
  readonly requestState?: string;
}
