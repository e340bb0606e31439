import type { JsonObject } from "../../lib/json.ts";
import type { ContentBlock } from "./content.ts";
import type { Icon } from "./identity.ts";

/** Hints, not proof: a server may claim anything about itself. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The JSON Schema of a tool's arguments: of an object, as the specification requires. */
export interface ToolInputSchema {
  readonly type: "object";
  readonly properties?: { readonly [name: string]: JsonObject | boolean };
  readonly required?: string[];
  readonly [keyword: string]: unknown;
}

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: ToolInputSchema;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly execution?: { readonly taskSupport?: "forbidden" | "optional" | "required" };
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
}

export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}
