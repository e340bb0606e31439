import { createEncoder } from "../encode/encoder.ts";
import { omitNothing, type WireRules } from "../encode/wire-rules.ts";
import type { Revision } from "../revision.ts";
import { WireCode } from "../wire-error.ts";
import { pickMethods } from "./derive.ts";

const rules: WireRules = {
  omit: omitNothing,
  contentKinds: new Set(["text", "image", "audio", "resource_link", "resource"]),
  structured: "any",
  samplingContent: "list",
  formFields: "all",
  describesResults: true,
  tasks: "extension",
};

const names = [
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "subscriptions/listen",
  "tasks/get",
  "tasks/update",
  "tasks/cancel",
  "notifications/tasks",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/message",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/subscriptions/acknowledged",
  // Only inside a result that asks for another round.
  "sampling/createMessage",
  "elicitation/create",
  "roots/list",
];

/** The newest revision, which the neutral model follows. `2025-11-25.ts` lists what its predecessor has instead. */
export const revision20260728: Revision = {
  version: "2026-07-28",
  opening: "each-request",
  methods: pickMethods(names),
  receivesBatches: false,
  asking: "rounds",
  subscribing: "listen",
  logLevelFrom: "request",
  badArguments: "result",
  missingResourceCode: WireCode.invalidParams,
  unreadableId: "absent",
  cacheHints: true,
  pollsStreams: false,
  sendsVersionHeader: true,
  requestHeaders: true,
  cancelsByClosing: true,
  elicitationModes: new Set(["form", "url"]),
  hasElicitationIds: false,
  multipleChoice: true,
  sampling: {
    kinds: new Set(["text", "image", "audio", "tool_use", "tool_result"]),
    blocks: "several",
    gatesContext: true,
  },
  tasks: "by-receiver",
  rules,
  encode: createEncoder(rules),
};
