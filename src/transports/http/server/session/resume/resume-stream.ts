import { atTokenExpiry } from "../../../../../contract/caller/token-expiry.ts";
import type { AdmittedRequest } from "../../admission/admission.ts";
import type { EndpointContext } from "../../endpoint-context.ts";
import { sendError } from "../../error-response.ts";
import { EventConnection } from "../../events/event-connection.ts";
import { parseEventId } from "../../events/event-id.ts";
import type { ResumableStream } from "../../events/resumable-stream.ts";
import type { StreamPosition } from "../../events/stream-reader.ts";
import type { HttpSession } from "../http-session.ts";
import { pingClient } from "../ping-client.ts";
import type { resumeSharedStream } from "./resume-shared-stream.ts";

interface FoundPosition extends StreamPosition {
  readonly stream: ResumableStream;
}

/**
 * Answers a GET with the standalone stream, or with the rest of a stream that broke.
 *
 * basic/transports#resumability-and-redelivery (2025-11-25)
 */
export async function resumeStream(
  context: EndpointContext,
  admitted: AdmittedRequest,
  session: HttpSession,
): Promise<void> {
  const { http, reply, principal } = admitted;
  const position = findPosition(session, http.header("last-event-id"));
  if (position === undefined || !(await position.stream.has(position.offset))) {
    if (session.node && (await resumeShared(context, admitted, session, session.node))) return;
    return sendError(reply, 400, "Last-Event-ID names no event that this session could resume from.");
  }
  const { stream, offset } = position;
  // After 204 an EventSource does not come back.
  if (stream.isOver(offset)) return reply.send(204, {});
  const hasLost = await stream.hasLost(offset);
  const connection = EventConnection.open(reply, context.heartbeat);
  const onDisconnected = () => stream.onDisconnected(connection);
  reply.onGone(onDisconnected);
  const end = () => {
    connection.end();
    onDisconnected();
  };
  const stopExpiry = atTokenExpiry(principal, end);
  const stopPings =
    stream === session.streams.standalone ? pingClient(context, session, { connection, end }) : () => {};
  connection.onClosed(() => {
    stopExpiry();
    stopPings();
  });
  const { pollsStreams } = session.session.revision;
  await stream.attach(connection, position, pollsStreams ? context.sessions.retryMs : undefined);
  if (stream === session.streams.standalone && hasLost) session.notifyAll();
}

/** Goes on with a stream that another node may have begun. Loaded when there are other nodes. */
async function resumeShared(...given: Parameters<typeof resumeSharedStream>): Promise<boolean> {
  const { resumeSharedStream } = await import("./resume-shared-stream.ts");
  return resumeSharedStream(...given);
}

/** The position after the event that is named, or after the last one sent on the standalone stream. */
function findPosition(session: HttpSession, lastEventId: string | undefined): FoundPosition | undefined {
  const { standalone } = session.streams;
  // Where there are other nodes, the standalone stream belongs to none of them.
  if (lastEventId === undefined && session.node) return undefined;
  if (lastEventId === undefined) return standalone && { stream: standalone, offset: standalone.delivered };
  const position = parseEventId(lastEventId, session.session.id);
  const stream = position && session.streams.find(position.stream);
  return stream && { ...position, stream };
}
