/** The position of an event: its session, its stream in the session, its number in the stream. */
export interface EventPosition {
  readonly session: string;
  readonly stream: string;
  readonly sequence: number;
}

/** The event id, which is unknown to every other session. */
export function toEventId({ session, stream, sequence }: EventPosition): string {
  // A store must never be able to end the line that the id stands on.
  if (!Number.isSafeInteger(sequence)) throw new Error("An event store must number events.");
  return `${toTag(session)}-${stream}-${sequence}`;
}

/** Parses an event id; undefined when it is not one of this session. */
export function parseEventId(id: string, session: string): Omit<EventPosition, "session"> | undefined {
  const [, tag, stream, sequence] = /^(\w{1,64})-(\w{1,64})-(\d{1,15})$/.exec(id) ?? [];
  if (tag !== toTag(session) || stream === undefined) return undefined;
  return { stream, sequence: Number(sequence) };
}

/** The part of a session id that tells it from others, but is too short to use it. */
function toTag(session: string): string {
  return session.slice(0, 8);
}
