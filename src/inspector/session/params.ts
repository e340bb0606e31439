import { findOptionProblem, type OptionKind } from "../../lib/option-check.ts";
import type { RequestParams, RequestType } from "../messages.ts";
import { InspectorError } from "./failure.ts";

/** The kinds of the params of a request. Those whose kind begins with `!` must be there. */
type ParamKinds<Type extends RequestType> = {
  readonly [Name in RequestParams<Type> extends infer Params ? MemberOf<Params> : never]:
    | OptionKind
    | Required;
};
type MemberOf<Params> = Params extends unknown ? keyof Params & string : never;
type Required = readonly ["!", OptionKind];

const text: Required = ["!", "string"];
const object: Required = ["!", "object"];
const number: Required = ["!", "number"];
const onConnection = { connection: text };
const window = { filter: "object", from: number, count: number } as const;
const ofRecording = { recording: text };

const kinds: { readonly [Type in RequestType]: ParamKinds<Type> } = {
  "open-session": { token: "string", secret: "string" },
  cancel: { request: number },
  "list-configured": {},
  connect: { target: object, options: "object" },
  "connect-again": onConnection,
  disconnect: onConnection,
  forget: onConnection,
  "list-tools": onConnection,
  "list-resources": onConnection,
  "list-templates": onConnection,
  "list-prompts": onConnection,
  "call-tool": { ...onConnection, name: text, arguments: object, meta: "object", task: "object" },
  "read-resource": { ...onConnection, uri: text },
  "get-prompt": { ...onConnection, name: text, arguments: "object" },
  complete: { ...onConnection, ref: object, argument: object, context: "object" },
  subscribe: { ...onConnection, lists: "strings", uris: "strings" },
  unsubscribe: { subscription: text },
  "set-log-level": { ...onConnection, level: text },
  "set-roots": { ...onConnection, roots: ["!", "array"] },
  ping: onConnection,
  "list-tasks": onConnection,
  "get-task": { ...onConnection, task: text },
  "await-task": { ...onConnection, task: text },
  "cancel-task": { ...onConnection, task: text },
  "send-request": { ...onConnection, method: text, params: "object" },
  "send-notification": { ...onConnection, method: text, params: "object" },
  answer: { question: text, answer: object },
  "suggest-sample": { question: text },
  "set-model": { model: object },
  "read-wire": window,
  "read-wire-entry": { seq: number },
  "read-calls": window,
  "find-wire": { filter: "object", seq: number },
  "clear-wire": {},
  "ask-in-revisions": { target: object, operation: object, revisions: "strings" },
  "save-recording": { ...onConnection, name: text, between: "array" },
  "load-recording": { name: text, text },
  "show-recording": ofRecording,
  "read-recording": ofRecording,
  "list-recordings": {},
  "delete-recording": ofRecording,
  "replay-recording": { ...ofRecording, target: object },
  "connect-recording": { ...ofRecording, options: "object" },
  "compare-recordings": { left: text, right: text },
  "recording-as-test": ofRecording,
  examine: onConnection,
  "load-test": { ...onConnection, operation: object, calls: number, concurrency: number },
  "open-conversation": { connections: ["!", "strings"], searchAbove: "number" },
  say: { conversation: text, text },
  "search-tools": { conversation: text, query: text },
  "close-conversation": { conversation: text },
};

export function isRequestType(type: unknown): type is RequestType {
  return typeof type === "string" && Object.hasOwn(kinds, type);
}

/** Throws for params that lack what a request needs, or have what it does not know. */
export function assertParams(type: RequestType, params: unknown): void {
  const table: Readonly<Record<string, OptionKind | Required>> = kinds[type];
  const entries = Object.entries(table);
  const plain = Object.fromEntries(entries.map(([name, kind]) => [name, isRequired(kind) ? kind[1] : kind]));
  const problem = findOptionProblem(type, params, plain) ?? findMissing(type, params as object, entries);
  if (problem !== undefined) throw new InspectorError("invalid-request", problem);
}

function isRequired(kind: OptionKind | Required): kind is Required {
  return Array.isArray(kind) && kind[0] === "!";
}

function findMissing(
  type: string,
  params: object,
  entries: readonly (readonly [string, OptionKind | Required])[],
): string | undefined {
  const missing = entries.find(([name, kind]) => isRequired(kind) && !Object.hasOwn(params, name));
  return missing && `${type} needs "${missing[0]}".`;
}
