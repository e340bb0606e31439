/** One event of a stream, as text. JSON has no raw line breaks, so its data is one line. */
export function encodeEvent(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/**
 * An event without data: its id, from which a client may resume, and the delay before it reconnects.
 *
 * basic/transports#sending-messages-to-the-server (2025-11-25)
 */
export function encodePrimingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

export function encodeNamedEvent(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

export function encodeRetry(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}

export const keepAliveComment: string = ":\n\n";

export const eventStreamHeaders: { readonly [name: string]: string } = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // A proxy that buffers responses would hold back every event.
  "x-accel-buffering": "no",
};
