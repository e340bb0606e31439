import type { JsonObject } from "../../lib/json.ts";

export interface Root {
  readonly uri: string;
  readonly name?: string;
  readonly _meta?: JsonObject;
}
