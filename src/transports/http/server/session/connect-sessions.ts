import type { BusMessage } from "../../../../cluster/bus-message.ts";
import type { ClusterNode } from "../../../../cluster/node.ts";
import { toCancelled } from "../../../../contract/cancelled-error.ts";
import type { SessionTable } from "./session-table.ts";

/** Passes what other nodes write to this one on to the sessions that are in use here. */
export function connectSessions(node: ClusterNode, sessions: SessionTable): void {
  node.bus.onMessage((message) => receive(message, node, sessions));
  node.liveness.onReturned(() => {
    // Where the store is away again, the next return brings another attempt.
    sessions.confirmStreams().catch(() => {});
  });
  node.inbox.on("answer", async ({ session, question }) => {
    const known = sessions.get(session);
    const answer = known && (await node.questions.takeAnswer(question));
    if (answer?.session === session && answer.owner === known?.owner) known.answer(answer.message);
  });
  node.inbox.on("progress", async ({ session, owner, params }) => {
    const known = sessions.get(session);
    if (known?.owner === owner) known.takeProgress(params);
  });
}

function receive(message: BusMessage, node: ClusterNode, sessions: SessionTable): Promise<void> | void {
  switch (message.type) {
    case "session-changed":
      return message.by === node.id ? undefined : sessions.refresh(message.session);
    case "session-ended":
      return sessions.onEndedElsewhere(message.session);
    case "call-cancelled":
      sessions.get(message.session)?.cancel(message.request, toCancelled("The call", message.reason));
      return;
    case "stream-taken":
      sessions.get(message.session)?.onStreamTaken(message.reader);
  }
}
