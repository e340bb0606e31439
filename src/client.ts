export type { ServerDescription } from "./client/agreement.ts";
export type { Client, ClientOf } from "./client/client.ts";
export { connect } from "./client/connect/connect.ts";
export type { ServerHint, ServerHintCache } from "./client/connect/known-servers.ts";
export type { Target } from "./client/connect/target.ts";
export type { UrlTarget } from "./client/connect/url-target.ts";
export type { Listing, ListOptions } from "./client/features/paged-list.ts";
export type { AnyPrompts, ClientPrompts, PromptsOf } from "./client/features/prompt-types.ts";
export type { ClientResources, ReadOptions, ResourcesOf } from "./client/features/resource-types.ts";
export type { ClientTasks } from "./client/features/tasks.ts";
export type {
  AnyTools,
  ClientTools,
  ToolCallOptions,
  ToolResult,
  ToolsOf,
} from "./client/features/tool-types.ts";
export {
  type AskContext,
  type RequestHandler,
  type RequestHandlerOptions,
  type RequestHandlers,
  requestHandler,
} from "./client/incoming/custom-request-handler.ts";
export type { ChangeListener, LogMessage, NotificationListener } from "./client/incoming/notifications.ts";
export type { ClientCall, ClientMiddleware, ClientNext } from "./client/middleware.ts";
export type {
  ClientTaskOptions,
  ConnectOptions,
  ConsentRequest,
  RootList,
  RootsContext,
  RootsResult,
} from "./client/options.ts";
export type { CallOptions, RawRequestOptions } from "./client/requests.ts";
export type {
  Subscription,
  SubscriptionEnd,
  SubscriptionFilter,
} from "./client/subscriptions/subscription.ts";
export type { TaskAugmentation, TaskCallOptions } from "./client/tasks/task-options.ts";
export {
  type ConsentAnswer,
  type ConsentOptions,
  type ConsentPolicy,
  consentPolicy,
} from "./client/trust/consent.ts";
export type { HeldTool, PinCheckResult, PinOptions } from "./client/trust/pin-check.ts";
export { pinTools, type ToolPins } from "./client/trust/pins.ts";
export type { GuardedClient, GuardedListing, ToolGuard } from "./client/trust/tool-guard.ts";
export type { TrustChange, TrustStore, TrustValue } from "./client/trust/trust-store.ts";
export type { HeaderRecord, MessageDirection, Progress } from "./contract/channel.ts";
export type { Timeout } from "./contract/deadline.ts";
export type { AuthRequest, ClientAuth } from "./contract/http-auth.ts";
export type { PingOptions } from "./contract/ping.ts";
export type { Change } from "./contract/server-event.ts";
export type { Servable } from "./contract/service.ts";
export type { Transport } from "./contract/transport.ts";
export type { DebugOption } from "./debug/debug-log.ts";
export * from "./errors.ts";
export type { Completion, CompletionReference } from "./protocol/model/completion.ts";
export type { TemplateValue, TemplateValues } from "./protocol/uri-template/expand.ts";
export { invalidParams, invalidRequest, methodNotFound } from "./protocol/wire-error.ts";
export type { HttpClientOptions } from "./transports/http/client/options.ts";
export { httpTransport } from "./transports/http/client/transport.ts";
export type { PortLike } from "./transports/port/port-like.ts";
export { portTransport } from "./transports/port/transport.ts";
export type { StdioCommand } from "./transports/stdio/stdio-command.ts";
export { type WebSocketOptions, websocketTransport } from "./transports/websocket/transport.ts";
export type { WebSocketConstructor, WebSocketLike } from "./transports/websocket/websocket-like.ts";
