import type { OptionTable } from "./verb.ts";

/** Options that every verb takes. */
export const sharedOptions = {
  help: { type: "boolean", short: "h", description: "Show this help" },
  "no-color": { type: "boolean", description: "Write without colours, as NO_COLOR does" },
  debug: { type: "boolean", description: "Show where an error came from" },
} as const satisfies OptionTable;
