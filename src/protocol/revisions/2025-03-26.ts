import type { Revision } from "../revision.ts";
import { revision20250618 } from "./2025-06-18.ts";
import { derive } from "./derive.ts";

export const revision20250326: Revision = derive(revision20250618, {
  version: "2025-03-26",
  lacks: ["elicitation/create"],
  receivesBatches: true,
  sendsVersionHeader: false,
  elicitationModes: new Set(),
  omits: {
    implementation: ["title"],
    tool: ["title", "outputSchema", "_meta"],
    resource: ["title", "_meta"],
    prompt: ["title", "_meta"],
    promptArgument: ["title"],
    annotations: ["lastModified"],
    content: ["_meta"],
    completion: ["context"],
  },
  wire: { contentKinds: new Set(["text", "image", "audio", "resource"]), structured: "none" },
});
