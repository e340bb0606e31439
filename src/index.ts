export { type AuditOptions, audit } from "./guard/audit.ts";
export type { AuditEntry, AuditSink } from "./guard/audit-entry.ts";
export { LimitCode } from "./guard/limit-error.ts";
export type { Allowance, LimitRule } from "./guard/limit-rule.ts";
export { type RateLimitOptions, rateLimit } from "./guard/rate-limit.ts";
export type { Call, Principal, Session } from "./peer/call.ts";
export type { Progress, RequestOptions } from "./peer/channel.ts";
export type { Conversation, ConversationOptions } from "./peer/conversation.ts";
export type { Timeout } from "./peer/deadline.ts";
export type { Change, Mount, Mountable } from "./peer/mount.ts";
export type { Pipe, PipeSink } from "./peer/pipe.ts";
export type { Transport } from "./peer/transport.ts";
export { pipeTransport } from "./peer/transport.ts";
export * from "./protocol/errors.ts";
export type { JsonObject } from "./protocol/json.ts";
export type { RequestId } from "./protocol/message.ts";
export type * from "./protocol/model/annotations.ts";
export type * from "./protocol/model/ask.ts";
export type * from "./protocol/model/content.ts";
export type {
  ClientCapabilities,
  Icon,
  Implementation,
  ServerCapabilities,
} from "./protocol/model/identity.ts";
export type { LogLevel } from "./protocol/model/logging.ts";
export type * from "./protocol/model/prompt.ts";
export type * from "./protocol/model/resource.ts";
export type { DetailedTask, Task, TaskStatus } from "./protocol/model/task.ts";
export type * from "./protocol/model/tool.ts";
export type { RevisionName } from "./protocol/negotiate.ts";
export { WireCode } from "./protocol/wire-error.ts";
export { servePort } from "./serve-port.ts";
export type { Completer, Completion } from "./server/complete.ts";
export { audio, embed, image, link, text } from "./server/content.ts";
export type { AskOptions, Context, Elicited, Sampled, Visit } from "./server/context.ts";
export { createServer, type ServerOptions } from "./server/create-server.ts";
export type { LogEntry, LogSink } from "./server/failure.ts";
export { form } from "./server/form.ts";
export { inputRequired } from "./server/input-required.ts";
export type { Middleware, Next } from "./server/middleware.ts";
export {
  type PromptDefinition,
  type PromptHandler,
  type PromptOptions,
  type PromptReturn,
  prompt,
} from "./server/prompt.ts";
export type { Registration } from "./server/registry.ts";
export { isSuspension } from "./server/replay/suspension.ts";
export {
  type ResourceContext,
  type ResourceDefinition,
  type ResourceHandler,
  type ResourceOptions,
  type ResourceReturn,
  resource,
} from "./server/resource.ts";
export { scopes } from "./server/scopes.ts";
export { type Server, servePipe } from "./server/server.ts";
export type { TaskHandle, TaskMode, TaskOptions, ToolTaskOptions } from "./server/tasks/task-options.ts";
export {
  type ToolDefinition,
  type ToolHandler,
  type ToolOptions,
  type ToolReturn,
  tool,
} from "./server/tool.ts";
export type { Access, AccessRule } from "./server/visibility.ts";
export { createMemoryPipe } from "./transports/memory/memory-pipe.ts";
export type { PortLike } from "./transports/port/port-like.ts";
