import type { Revision } from "../revision.ts";
import { revision20251125 } from "./2025-11-25.ts";
import { derive } from "./derive.ts";

export const revision20250618: Revision = derive(revision20251125, {
  version: "2025-06-18",
  lacks: [
    "notifications/elicitation/complete",
    "tasks/get",
    "tasks/result",
    "tasks/list",
    "tasks/cancel",
    "notifications/tasks/status",
  ],
  badArguments: "error",
  unreadableId: "null",
  pollsStreams: false,
  elicitationModes: new Set(["form"]),
  hasElicitationIds: false,
  multipleChoice: false,
  sampling: { kinds: new Set(["text", "image", "audio"]), blocks: "one", gatesContext: false },
  tasks: "none",
  omits: {
    implementation: ["icons", "description", "websiteUrl"],
    tool: ["icons", "execution"],
    resource: ["icons"],
    prompt: ["icons"],
    capabilities: ["tasks"],
    sampling: ["tools", "toolChoice"],
    elicitation: ["mode"],
  },
  wire: { samplingContent: "single", formFields: "plain", tasks: "none" },
});
