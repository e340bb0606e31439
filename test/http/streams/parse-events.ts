import { EventParser } from "../../../src/transports/http/client/fetch/event-parser.ts";

/** All that the parser of a client makes of a stream in pieces. */
export function parseEvents(pieces: Iterable<string>, maxChars = 1_000_000) {
  const seen: unknown[] = [];
  let isTooLarge = false;
  const parser = new EventParser({
    maxChars,
    onEvent: ({ id, kind, data }) => seen.push([id, kind, data]),
    onRetry: (ms) => seen.push(ms),
    onComment: () => seen.push("comment"),
    onTooLarge: () => {
      isTooLarge = true;
    },
  });
  let fed = 0;
  for (const piece of pieces) {
    parser.feed(piece);
    fed++;
    if (isTooLarge) return { seen, fed, isTooLarge };
  }
  return { seen, fed, isTooLarge };
}
