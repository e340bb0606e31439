import type { Progress } from "../../contract/channel.ts";
import type { Change } from "../../contract/server-event.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Completion, CompletionReference } from "../../protocol/model/completion.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import type { GetPromptResult, Prompt } from "../../protocol/model/prompt.ts";
import type { ReadResourceResult, Resource, ResourceTemplate } from "../../protocol/model/resource.ts";
import type { Root } from "../../protocol/model/root.ts";
import type { DetailedTask, Task } from "../../protocol/model/task.ts";
import type { CallToolResult, Tool } from "../../protocol/model/tool.ts";
import type { Nothing } from "./reply.ts";

interface OnConnection {
  readonly connection: string;
}

/** The common part of the answers to calls. */
export interface Answered {
  readonly ms: number;
  /** The entries of the wire that belong to it, first and last. */
  readonly wire?: readonly [first: number, last: number];
}

export interface UseRequests {
  "list-tools": List<Tool>;
  "list-resources": List<Resource>;
  "list-templates": List<ResourceTemplate>;
  "list-prompts": List<Prompt>;
  /** Progress and tasks of the call arrive as events with the id of this request; `cancel` gives it up. */
  "call-tool": {
    readonly params: OnConnection & {
      readonly name: string;
      readonly arguments: JsonObject;
      readonly meta?: JsonObject;
      /** Makes the call a task, where the client decides that. */
      readonly task?: { readonly ttlMs?: number };
    };
    readonly result: Answered & { readonly result: CallToolResult; readonly output: CheckedOutput };
  };
  "read-resource": {
    readonly params: OnConnection & { readonly uri: string };
    readonly result: Answered & { readonly result: ReadResourceResult };
  };
  "get-prompt": {
    readonly params: OnConnection & {
      readonly name: string;
      readonly arguments?: Readonly<Record<string, string>>;
    };
    readonly result: Answered & { readonly result: GetPromptResult };
  };
  complete: {
    readonly params: OnConnection & {
      readonly ref: CompletionReference;
      readonly argument: { readonly name: string; readonly value: string };
      readonly context?: Readonly<Record<string, string>>;
    };
    readonly result: Answered & { readonly completion: Completion };
  };
  /** Subscribes to changes: of lists, and of single resources. They arrive as `change` events. What is followed already is followed once. */
  subscribe: {
    readonly params: OnConnection & {
      readonly lists?: readonly FollowedList[];
      readonly uris?: readonly string[];
    };
    readonly result: { readonly subscription: SubscriptionView };
  };
  unsubscribe: { readonly params: { readonly subscription: string }; readonly result: Nothing };
  "set-log-level": {
    readonly params: OnConnection & { readonly level: LogLevel };
    readonly result: Nothing;
  };
  "set-roots": {
    readonly params: OnConnection & { readonly roots: readonly Root[] };
    readonly result: Nothing;
  };
  ping: { readonly params: OnConnection; readonly result: Answered };
  /** The tasks that calls of this session have begun, and those that the server lists where it can. */
  "list-tasks": { readonly params: OnConnection; readonly result: { readonly tasks: readonly Task[] } };
  "get-task": {
    readonly params: OnConnection & { readonly task: string };
    readonly result: { readonly task: DetailedTask };
  };
  /** Waits for the result of a task. */
  "await-task": {
    readonly params: OnConnection & { readonly task: string };
    readonly result: Answered & { readonly result: CallToolResult };
  };
  "cancel-task": {
    readonly params: OnConnection & { readonly task: string };
    readonly result: { readonly task: Task };
  };
  /** Any request, as it is written. */
  "send-request": {
    readonly params: OnConnection & { readonly method: string; readonly params?: JsonObject };
    readonly result: Answered & { readonly result: JsonObject };
  };
  "send-notification": {
    readonly params: OnConnection & { readonly method: string; readonly params?: JsonObject };
    readonly result: Nothing;
  };
}

export interface UseEvents {
  /** Progress of a call of this page; `request` is the id of its request. Reaches only the socket that sent it. */
  progress: { readonly request: number } & Progress;
  /** The task that a call of this page has become, at each change. Reaches only the socket that sent it. */
  task: { readonly request: number; readonly connection: string; readonly task: Task };
  log: OnConnection & {
    readonly at: number;
    readonly level: LogLevel;
    readonly logger?: string;
    readonly data: unknown;
  };
  /** A list or a resource that has changed. */
  change: OnConnection & { readonly at: number; readonly change: Change };
  /** A subscription that was opened, or that has ended by itself. */
  subscription: { readonly subscription: SubscriptionView };
  /** A subscription that the person has ended. */
  "subscription-closed": { readonly subscription: string };
}

/** Lists or single resources of a server that the person follows. */
export interface SubscriptionView extends OnConnection {
  readonly id: string;
  readonly lists: readonly FollowedList[];
  readonly uris: readonly string[];
  /** The reason, where it ended by itself. */
  readonly ended?: string;
}

export type FollowedList = "tools" | "prompts" | "resources";

interface List<Item> {
  readonly params: OnConnection;
  readonly result: Answered & {
    readonly items: readonly Item[];
    /** Items that the library left out because they break the specification, and why. */
    readonly problems: readonly string[];
  };
}

/** Structured content against the output schema of its tool. */
export type CheckedOutput =
  | { readonly state: "no-schema" | "valid" }
  | { readonly state: "invalid" | "unusable-schema"; readonly problems: readonly string[] };
