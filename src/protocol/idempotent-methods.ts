/** Requests that may be sent twice without anything happening twice. */
export const idempotentMethods: ReadonlySet<string> = new Set([
  "server/discover",
  "ping",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "tasks/get",
  "tasks/result",
  "tasks/list",
]);
