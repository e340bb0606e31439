import type { Revision } from "../revision.ts";
import { WireCode } from "../wire-error.ts";
import { revision20260728 } from "./2026-07-28.ts";
import { derive } from "./derive.ts";

/** The last revision with a handshake and sessions: each line is a difference from 2026-07-28. */
export const revision20251125: Revision = derive(revision20260728, {
  version: "2025-11-25",
  opening: "handshake",
  adds: [
    "initialize",
    "notifications/initialized",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "notifications/roots/list_changed",
    "notifications/elicitation/complete",
    "tasks/result",
    "tasks/list",
    "notifications/tasks/status",
  ],
  lacks: [
    "server/discover",
    "subscriptions/listen",
    "notifications/subscriptions/acknowledged",
    "tasks/update",
    "notifications/tasks",
  ],
  asking: "live",
  subscribing: "each-resource",
  logLevelFrom: "session",
  missingResourceCode: WireCode.resourceNotFound,
  cacheHints: false,
  pollsStreams: true,
  requestHeaders: false,
  hasElicitationIds: true,
  tasks: "by-sender",
  cancelsByClosing: false,
  omits: { result: ["resultType", "ttlMs", "cacheScope"] },
  wire: { structured: "object", describesResults: false, tasks: "augmented" },
});
