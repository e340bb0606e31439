export type { Call, Session } from "./contract/call.ts";
export type { HttpView, RequestHeaders } from "./contract/caller/http-view.ts";
export type { Principal } from "./contract/caller/principal.ts";
export type { Progress, RequestOptions } from "./contract/channel.ts";
export {
  type ContextKey,
  type ContextKeyOptions,
  type ContextValue,
  contextKey,
} from "./contract/context-key.ts";
export type { Timeout } from "./contract/deadline.ts";
export type { Mount, Mountable } from "./contract/mount/mount.ts";
export type { Pipe, PipeSink } from "./contract/pipe.ts";
export type { Change } from "./contract/server-event.ts";
export type { NotificationSender } from "./contract/service.ts";
export type { Transport } from "./contract/transport.ts";
export type { DebugOption } from "./debug/debug-log.ts";
export * from "./errors.ts";
export { type AuditEntry, type AuditOptions, type AuditSink, audit } from "./guard/audit.ts";
export type { Allowance, LimitRule } from "./guard/limit-options.ts";
export { type RateLimitOptions, rateLimit } from "./guard/rate-limit.ts";
export type { JsonObject } from "./lib/json.ts";
export { pipeTransport } from "./peer/pipe-transport.ts";
export type { ServerConnection, ServerConnectionOptions } from "./peer/server-connection.ts";
export { servePipe } from "./peer/server-connection.ts";
export { LimitCode } from "./protocol/limit-error.ts";
export type { RequestId } from "./protocol/message.ts";
export type * from "./protocol/model/annotations.ts";
export type { Completion } from "./protocol/model/completion.ts";
export type * from "./protocol/model/content.ts";
export type * from "./protocol/model/elicitation.ts";
export type {
  ClientCapabilities,
  Icon,
  Implementation,
  ServerCapabilities,
} from "./protocol/model/identity.ts";
export type * from "./protocol/model/input-required.ts";
export type { LogLevel } from "./protocol/model/logging.ts";
export type * from "./protocol/model/prompt.ts";
export type * from "./protocol/model/resource.ts";
export type * from "./protocol/model/root.ts";
export type * from "./protocol/model/sampling.ts";
export type { DetailedTask, Task, TaskStatus } from "./protocol/model/task.ts";
export type * from "./protocol/model/tool.ts";
export type { RevisionName } from "./protocol/negotiate.ts";
export { invalidParams, invalidRequest, methodNotFound, WireCode } from "./protocol/wire-error.ts";
export { type Access, type AccessRule, scopes } from "./server/access.ts";
export type { Registration } from "./server/catalog/registry.ts";
export type {
  AskOptions,
  Context,
  CustomRequestOptions,
  Elicited,
  Sampled,
  UrlElicitation,
} from "./server/context/context.ts";
export { createServer, type ServerOptions } from "./server/create-server.ts";
export type { Completer } from "./server/define/completion.ts";
export { audio, embed, image, link, text } from "./server/define/content.ts";
export { form } from "./server/define/form.ts";
export { inputRequired } from "./server/define/input-required.ts";
export type {
  CustomMethodHandler,
  CustomNotificationListener,
  MethodOptions,
  NotificationOptions,
} from "./server/define/method.ts";
export {
  type PromptDefinition,
  type PromptHandler,
  type PromptOptions,
  type PromptReturn,
  prompt,
} from "./server/define/prompt.ts";
export {
  type ResourceContext,
  type ResourceDefinition,
  type ResourceHandler,
  type ResourceOptions,
  type ResourceReturn,
  resource,
} from "./server/define/resource.ts";
export {
  type ToolDefinition,
  type ToolHandler,
  type ToolOptions,
  type ToolReturn,
  tool,
} from "./server/define/tool.ts";
export type { LogEntry, LogSink } from "./server/log.ts";
export type { Middleware, Next, NextChanges } from "./server/middleware.ts";
export { isSuspension } from "./server/replay/suspension.ts";
export type { Server, ServerLogOptions } from "./server/server.ts";
export type { TaskHandle, TaskMode, TaskOptions, ToolTaskOptions } from "./server/tasks/task-options.ts";
export { createMemoryPipe } from "./transports/memory/pipe.ts";
export type { PortLike } from "./transports/port/port-like.ts";
export { servePort } from "./transports/port/serve-port.ts";
