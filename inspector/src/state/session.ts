import { computed, signal } from "@preact/signals";
import type { ConnectionView } from "../../../src/inspector/messages/connection.ts";
import type { Question, ScriptedModel } from "../../../src/inspector/messages/question.ts";
import type { RecordingView } from "../../../src/inspector/messages/recording.ts";
import type { Failure } from "../../../src/inspector/messages/reply.ts";
import type { SessionView } from "../../../src/inspector/messages/session.ts";
import type { SubscriptionView } from "../../../src/inspector/messages/use.ts";
import type { Events } from "../../../src/inspector/messages.ts";
import type { LogLevel } from "../../../src/protocol/model/logging.ts";
import { keepOpen, onEvent, RequestFailure, request, toFailure } from "./link.ts";
import { findSecret, keepSecret, takeToken } from "./secret.ts";

type LogLine = Events["log"];
type ChangeLine = Events["change"];
/** Something that went wrong, with the connection on which it did. */
type Problem = Failure & { readonly connection?: string };

export const about = signal<Pick<SessionView, "version" | "revisions" | "offered">>({
  version: "",
  revisions: [],
  offered: [],
});
/** False until the server has said what there is; nothing can be asked before. */
export const isOpened = signal(false);
export const connections = signal<readonly ConnectionView[]>([]);
export const questions = signal<readonly Question[]>([]);
export const recordings = signal<readonly RecordingView[]>([]);
export const model = signal<ScriptedModel | undefined>(undefined);
export const wireTotals = signal<SessionView["wire"]>({ count: 0, first: 0, last: 0, bytes: 0, dropped: 0 });
export const problems = signal<readonly Problem[]>([]);
export const logs = signal<readonly LogLine[]>([]);
export const changes = signal<readonly ChangeLine[]>([]);
/** The log levels that the person has chosen, by connection. */
export const chosenLevels = signal<Readonly<Record<string, LogLevel>>>({});
/** Everything that is followed, and what ended by itself since the page was opened. */
export const subscriptions = signal<readonly SubscriptionView[]>([]);

/** The open connections of the person; those that serve one purpose come and go by themselves. */
export const openConnections = computed(() =>
  connections.value.filter(({ state, purpose }) => state === "open" && purpose === undefined),
);

/** Lines that the page keeps of each kind; the wire has all of them. */
const maxLines = 2000;

export function connectionOf(id: string | undefined): ConnectionView | undefined {
  return connections.value.find((connection) => connection.id === id);
}

export function startSession(onStart: () => void): void {
  let token = takeToken();
  let isFirst = true;
  keepOpen(async () => {
    const credential = token === undefined ? { secret: await requireSecret() } : { token };
    const view = await request("open-session", credential);
    token = undefined;
    keepSecret(view.secret);
    take(view);
    if (isFirst) onStart();
    isFirst = false;
  });
  listen();
}

async function requireSecret(): Promise<string> {
  const secret = await findSecret();
  if (secret) return secret;
  throw new RequestFailure({ code: "session-unknown", message: "This tab has no session." });
}

function take(view: SessionView): void {
  about.value = view;
  connections.value = view.connections;
  subscriptions.value = view.subscriptions;
  questions.value = view.questions;
  recordings.value = view.recordings;
  model.value = view.model;
  wireTotals.value = view.wire;
  isOpened.value = true;
}

function listen(): void {
  onEvent("connection", ({ connection }) => putConnection(connection));
  onEvent("negotiation-step", ({ connection, step }) =>
    changeConnection(connection, ({ steps }) => ({ steps: [...steps, step] })),
  );
  onEvent("auth-hop", ({ connection, index, hop }) =>
    changeConnection(connection, ({ authHops }) => ({ authHops: authHops.toSpliced(index, 1, hop) })),
  );
  onEvent("question", ({ question }) => {
    questions.value = [...questions.value.filter(({ id }) => id !== question.id), question];
  });
  onEvent("question-closed", ({ question }) => {
    questions.value = questions.value.filter(({ id }) => id !== question);
  });
  onEvent("log", (line) => {
    logs.value = [...logs.value.slice(1 - maxLines), line];
  });
  onEvent("change", (line) => {
    changes.value = [...changes.value.slice(1 - maxLines), line];
  });
  onEvent("subscription", ({ subscription }) => putSubscription(subscription));
  onEvent("subscription-closed", ({ subscription }) => dropSubscription(subscription));
  onEvent("wire", ({ totals }) => {
    wireTotals.value = totals;
  });
  onEvent("problem", ({ connection, message }) => addProblem(new Error(message), connection));
}

/** Shows, in the bar at the bottom, what no view of its own shows. */
export function addProblem(error: unknown, connection?: string): void {
  problems.value = [...problems.value.slice(-4), { ...toFailure(error), ...(connection && { connection }) }];
}

export function putSubscription(subscription: SubscriptionView): void {
  const others = subscriptions.value.filter(({ id }) => id !== subscription.id);
  subscriptions.value = [...others.slice(1 - maxLines), subscription];
}

export function dropSubscription(subscription: string): void {
  subscriptions.value = subscriptions.value.filter(({ id }) => id !== subscription);
}

export function putConnection(connection: ConnectionView): void {
  const at = connections.value.findIndex(({ id }) => id === connection.id);
  connections.value = at < 0 ? [...connections.value, connection] : connections.value.with(at, connection);
}

function changeConnection(id: string, change: (connection: ConnectionView) => Partial<ConnectionView>): void {
  connections.value = connections.value.map((connection) =>
    connection.id === id ? { ...connection, ...change(connection) } : connection,
  );
}

export async function forgetConnection(id: string): Promise<void> {
  await request("forget", { connection: id });
  connections.value = connections.value.filter((connection) => connection.id !== id);
}
