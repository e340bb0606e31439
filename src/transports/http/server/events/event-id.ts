/** The position of an event: its session, its stream in the session, its offset in the stream. */
export interface EventPosition {
  readonly session: string;
  readonly stream: string;
  readonly offset: string;
  /** The number that the writer of the stream gave it, where nodes share a store. */
  readonly number?: number | undefined;
}

const idPattern = /^(\w{1,64})-(\w{1,64})-([\w.]{1,64})(?:-(0|[1-9a-z][0-9a-z]{0,9}))?$/;
const offsetPattern = /^[\w.]{1,64}$/;

/** The event id, which is unknown to every other session. */
export function toEventId({ session, stream, offset, number }: EventPosition): string {
  // A store must never be able to end the line that the id stands on.
  if (!offsetPattern.test(offset))
    throw new Error("An offset of an event store has 1 to 64 characters of A-Z a-z 0-9 _ .");
  const id = `${toTag(session)}-${stream}-${offset}`;
  return number === undefined ? id : `${id}-${number.toString(36)}`;
}

/** Parses an event id; undefined when it is not one of this session. */
export function parseEventId(id: string, session: string): Omit<EventPosition, "session"> | undefined {
  const [, tag, stream, offset, number] = idPattern.exec(id) ?? [];
  if (tag !== toTag(session) || stream === undefined || offset === undefined) return undefined;
  return { stream, offset, ...(number !== undefined && { number: Number.parseInt(number, 36) }) };
}

/** The part of a session id that distinguishes it from others, but is too short to use it. */
function toTag(session: string): string {
  return session.slice(0, 8);
}
