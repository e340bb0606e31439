import type { Revision } from "../revision.ts";
import { revision20250326 } from "./2025-03-26.ts";
import { derive } from "./derive.ts";

export const revision20241105: Revision = derive(revision20250326, {
  version: "2024-11-05",
  ungated: ["completion/complete"],
  sampling: { kinds: new Set(["text", "image"]), blocks: "one", gatesContext: false },
  omits: { tool: ["annotations"], progress: ["message"], capabilities: ["completions"] },
  wire: { contentKinds: new Set(["text", "image", "resource"]) },
});
