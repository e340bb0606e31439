export type { Progress } from "../peer/channel.ts";
export type { AuthRequest, ClientAuth } from "../peer/client-auth.ts";
export type { Timeout } from "../peer/deadline.ts";
export type { Change } from "../peer/mount.ts";
export type { Reachable, Transport } from "../peer/transport.ts";
export type { AuthHop } from "../protocol/auth-hop.ts";
export * from "../protocol/errors.ts";
export type { HeaderRecord, HttpClientOptions } from "../transports/http/client/http-client-options.ts";
export { httpTransport } from "../transports/http/client/http-transport.ts";
export type { PortLike } from "../transports/port/port-like.ts";
export { portTransport } from "../transports/port/port-transport.ts";
export type { StdioCommand } from "../transports/stdio/stdio-command.ts";
export type { WebSocketConstructor, WebSocketLike } from "../transports/websocket/web-socket.ts";
export { type WebSocketOptions, websocketTransport } from "../transports/websocket/websocket-transport.ts";
export type { Client, RawRequestOptions } from "./client.ts";
export type { Completion, CompletionReference } from "./complete.ts";
export { connect } from "./connect.ts";
export { type ConsentAnswer, type ConsentOptions, type ConsentPolicy, consentPolicy } from "./consent.ts";
export type { Listing, ListOptions } from "./lists.ts";
export type { ClientCall, ClientMiddleware, ClientNext } from "./middleware.ts";
export type { ChangeListener, NotificationListener } from "./notifications.ts";
export type {
  AskContext,
  ConnectOptions,
  ConsentRequest,
  Direction,
  LogMessage,
  RootList,
  Verdict,
  VerdictCache,
} from "./options.ts";
export { type PinOptions, pinTools } from "./pin.ts";
export type { Examined, HeldTool, ToolPins, ToolWatch, Watched, WatchedListing } from "./pins.ts";
export type { ClientPrompts } from "./prompts.ts";
export type { CallOptions } from "./requests.ts";
export type { ClientResources } from "./resources.ts";
export type { ServerDescription } from "./server-description.ts";
export type { Subscription, SubscriptionEnd, SubscriptionFilter } from "./subscription.ts";
export type { Target } from "./target.ts";
export type { ClientTasks } from "./tasks/client-tasks.ts";
export type { TaskCallOptions, TaskWish } from "./tasks/task-options.ts";
export type { TaskSupport } from "./tasks/task-support.ts";
export type { TrustStore, TrustValue } from "./trust-store.ts";
export type { AnyTools, ClientTools, ToolCallOptions, ToolResult, ToolsOf } from "./typed-tools.ts";
