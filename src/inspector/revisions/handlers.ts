import { assertTargetChoice } from "../connections/target-choice.ts";
import type { ConnectChoice, TargetChoice } from "../messages/connection.ts";
import type { Operation, RevisionAnswer, RevisionRequests } from "../messages/revisions.ts";
import { toFailure } from "../session/failure.ts";
import type { Handlers, PageCall } from "../session/handler.ts";
import type { InspectorSession } from "../session/session.ts";
import { findDifferences } from "./differences.ts";
import { assertOperation, runOperation } from "./operation.ts";

export const revisionHandlers: Handlers<keyof RevisionRequests> = {
  async "ask-in-revisions"({ target, operation, revisions }, call) {
    assertOperation(operation);
    const reached = toReachable(target, call.session);
    const answers: RevisionAnswer[] = [];
    for (const revision of revisions ?? call.session.options.revisions) {
      call.signal.throwIfAborted();
      const answer = await askIn(revision, reached, operation, call);
      const first = answers.find(({ result }) => result !== undefined);
      const isBoth = first !== undefined && answer.result !== undefined;
      const compared = { ...answer, differences: isBoth ? findDifferences(first.result, answer.result) : [] };
      answers.push(compared);
      call.push("revision-answer", { request: call.id, answer: compared });
    }
    return { answers };
  },
};

/** A target with the options by which it is reached. */
export interface Reachable {
  readonly target: TargetChoice;
  readonly options: ConnectChoice;
}

type TargetOrConnection = RevisionRequests["ask-in-revisions"]["params"]["target"];

/** The target itself, or that of a connection. */
export function toReachable(target: TargetOrConnection, session: InspectorSession): Reachable {
  if (target.kind !== "connection") {
    assertTargetChoice(target);
    return { target, options: {} };
  }
  const { choice, options } = session.connections.get(target.connection);
  return { target: choice, options };
}

/** Asks as a client that knows one revision only. */
async function askIn(
  revision: string,
  { target, options }: Reachable,
  operation: Operation,
  { session, signal }: PageCall,
): Promise<Omit<RevisionAnswer, "differences">> {
  const before = session.wire.lastSeq;
  const connection = session.connections.create({
    target,
    options: { ...options, revisions: [revision], label: revision },
    purpose: "revisions",
  });
  const startedAt = performance.now();
  const outcome = await session.connections
    .open(connection, signal)
    .then(() => runOperation(connection.client, operation, signal))
    .then(
      (result) => ({ result }),
      (error: unknown) => ({ failure: toFailure(error) }),
    );
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  const isSpoken = connection.view.revision === revision;
  await connection.close();
  const wire = session.wire.spanOf(connection.id, before);
  return { revision, connection: connection.id, ms, isSpoken, ...outcome, ...(wire && { wire }) };
}
