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
  /** Only in 2025-11-25. */
  readonly elicitationId?: string;
}

export type ElicitRequest = ElicitForm | ElicitUrl;

export interface ElicitResult {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: JsonObject;
}
