/** The place of an event: its session, its stream within it, its number within that. */
export interface EventPosition {
  readonly session: string;
  readonly stream: string;
  readonly sequence: number;
}

/** An event id that means nothing to any other session. */
export function toEventId({ session, stream, sequence }: EventPosition): string {
  // What a store gives out must never be able to end the line it stands on.
  if (!Number.isSafeInteger(sequence)) throw new Error("An event store must number events.");
  return `${toTag(session)}-${stream}-${sequence}`;
}

/** Where an event id points within a session; undefined when it is none of that session's. */
export function parseEventId(id: string, session: string): Omit<EventPosition, "session"> | undefined {
  const [, tag, stream, sequence] = /^(\w{1,64})-(\w{1,64})-(\d{1,15})$/.exec(id) ?? [];
  if (tag !== toTag(session) || stream === undefined) return undefined;
  return { stream, sequence: Number(sequence) };
}

/** Enough of a session's id to tell it from others, too little to use it. */
function toTag(session: string): string {
  return session.slice(0, 8);
}
