/** The stream of events, and of changes of sessions, to all nodes of a server. */
export const busStream = "bus";

/** The stream of control messages to all nodes of a server. */
export const controlStream = "control";

/** Longer than a session is idle, so that its place in the stream can still be found. */
export const busTtlMs: number = 7 * 24 * 3_600_000;
