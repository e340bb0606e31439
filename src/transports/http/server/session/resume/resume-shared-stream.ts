import type { ClusterNode } from "../../../../../cluster/node.ts";
import { nodeOf } from "../../../../../cluster/node-id.ts";
import { atTokenExpiry } from "../../../../../contract/caller/token-expiry.ts";
import type { AdmittedRequest } from "../../admission/admission.ts";
import type { EndpointContext } from "../../endpoint-context.ts";
import { EventConnection } from "../../events/event-connection.ts";
import { type EventPosition, parseEventId } from "../../events/event-id.ts";
import type { HttpSession } from "../http-session.ts";
import { pingClient } from "../ping-client.ts";
import { sendSessionNotFound } from "../session-reply.ts";
import { standaloneId } from "../session-streams.ts";
import { StandaloneFeed } from "../standalone-feed.ts";
import { RemoteStream } from "./remote-stream.ts";

/**
 * Answers a GET with a stream that any node may have begun: the standalone one, or that of a call which this node does
 * not run. Returns false when the session has no such stream.
 */
export async function resumeSharedStream(
  context: EndpointContext,
  admitted: AdmittedRequest,
  session: HttpSession,
  node: ClusterNode,
): Promise<boolean> {
  const lastEventId = admitted.http.header("last-event-id");
  const position = lastEventId === undefined ? undefined : parseEventId(lastEventId, session.session.id);
  if (lastEventId !== undefined && position === undefined) return false;
  const request = { context, admitted, session, node };
  if (position !== undefined && position.stream !== standaloneId) return resumeCallStream(request, position);
  await openStandaloneStream(request, position?.offset ?? session.read);
  return true;
}

/** A GET for a stream, with everything that answers it. */
interface StreamRequest {
  readonly context: EndpointContext;
  readonly admitted: AdmittedRequest;
  readonly session: HttpSession;
  readonly node: ClusterNode;
}

/** Sends the events outside calls from an offset on. */
async function openStandaloneStream(request: StreamRequest, offset: string): Promise<void> {
  const { context, admitted, session, node } = request;
  await node.bus.follow();
  // Nothing would end the stream: another node has ended the session after it was found.
  if (session.session.hasEnded) return sendSessionNotFound(admitted.reply);
  const reader = node.nextId("_");
  const connection = open(context, admitted);
  const feed = new StandaloneFeed({ bus: node.bus, reader }, session, connection, offset);
  session.takeFeed(feed);
  // Before anything is awaited: the client may go at any time.
  const stopPings = pingClient(context, session, { connection, end: () => connection.end() });
  connection.onClosed(
    whenClosed(admitted, connection, () => {
      stopPings();
      session.endFeed(feed);
    }),
  );
  // Another node that has the stream ends it there, so that no event comes twice.
  await node.bus.send({ type: "stream-taken", session: session.session.id, reader });
  feed.start(retryMsOf(request));
}

/** Sends the rest of a call's stream that another node writes; returns false when no node does. */
async function resumeCallStream(
  request: StreamRequest,
  position: Omit<EventPosition, "session">,
): Promise<boolean> {
  const { context, admitted, session, node } = request;
  const writer = nodeOf(position.stream);
  if (writer === undefined) return false;
  const remote = new RemoteStream(node, { session: session.session.id, writer, ...position });
  const hasMore = await remote.hasMore();
  if (hasMore === undefined) return false;
  if (!hasMore) {
    admitted.reply.send(204, {});
    return true;
  }
  const connection = open(context, admitted);
  const stop = remote.attach(connection, retryMsOf(request), context.sessions.resumeMs);
  const { streams } = session;
  streams.takeForeign(position.stream, connection);
  connection.onClosed(
    whenClosed(admitted, connection, () => {
      stop();
      streams.endForeign(position.stream, connection);
    }),
  );
  return true;
}

/** The time after which a client comes back to a stream that was closed, where the revision has this. */
function retryMsOf({ context, session }: StreamRequest): number | undefined {
  return session.session.revision.pollsStreams ? context.sessions.retryMs : undefined;
}

function open(context: EndpointContext, { reply }: AdmittedRequest): EventConnection {
  const connection = EventConnection.open(reply, context.heartbeat);
  reply.onGone(() => connection.drop());
  return connection;
}

/** Ends the connection with the token of its reader. Returns what to do once it is closed. */
function whenClosed(
  { principal }: AdmittedRequest,
  connection: EventConnection,
  onClosed: () => void,
): () => void {
  const stopExpiry = atTokenExpiry(principal, () => connection.end());
  return () => {
    stopExpiry();
    onClosed();
  };
}
