import { atTokenExpiry } from "../../../../contract/token-expiry.ts";
import type { AdmittedRequest } from "../admission.ts";
import type { EndpointContext } from "../endpoint-context.ts";
import { sendError } from "../error-response.ts";
import { EventConnection } from "../events/event-connection.ts";
import { parseEventId } from "../events/event-id.ts";
import type { ResumableStream } from "../events/resumable-stream.ts";
import type { HttpSession } from "./http-session.ts";

interface StreamPosition {
  readonly stream: ResumableStream;
  readonly sequence: number;
}

/**
 * Answers a GET with the standalone stream, or with the rest of a stream that broke.
 *
 * basic/transports#resumability-and-redelivery (2025-11-25)
 */
export async function resumeStream(
  context: EndpointContext,
  { http, reply, principal }: AdmittedRequest,
  session: HttpSession,
): Promise<void> {
  const position = findPosition(session, http.header("last-event-id"));
  if (position === undefined || !(await position.stream.has(position.sequence)))
    return sendError(reply, 400, "Last-Event-ID names no event that this session could resume from.");
  const { stream, sequence } = position;
  // 204 tells an EventSource not to come back.
  if (stream.isOver(sequence)) return reply.send(204, {});
  const connection = EventConnection.open(reply, context.heartbeat);
  const onDisconnected = () => stream.onDisconnected(connection);
  reply.onGone(onDisconnected);
  connection.onClosed(
    atTokenExpiry(principal, () => {
      connection.end();
      onDisconnected();
    }),
  );
  const { pollsStreams } = session.session.revision;
  await stream.attach(connection, sequence, pollsStreams ? context.sessions.retryMs : undefined);
}

/** The position after the event that is named, or after the last one sent on the standalone stream. */
function findPosition(session: HttpSession, lastEventId: string | undefined): StreamPosition | undefined {
  const { standalone } = session.streams;
  if (lastEventId === undefined) return standalone && { stream: standalone, sequence: standalone.delivered };
  const position = parseEventId(lastEventId, session.session.id);
  const stream = position && session.streams.find(position.stream);
  return stream && { stream, sequence: position.sequence };
}
