import type { JsonObject } from "../../lib/json.ts";

export interface ElicitForm {
  readonly mode?: "form";
  readonly message: string;
  readonly requestedSchema: JsonObject;
}

export interface ElicitUrl {
  readonly mode: "url";
  readonly message: string;
  readonly url: string;
  /** Only the one revision that correlates by id has it. */
  readonly elicitationId?: string;
}

export type ElicitRequest = ElicitForm | ElicitUrl;

export interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}
