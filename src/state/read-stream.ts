import { type EventStore, type StoredEvent, streamStart } from "./state.ts";

/** Events that are read from the store at once. */
export const pageSize = 256;

/** The events of a stream after an offset that there are by now, oldest first. */
export async function* readStream(
  events: EventStore,
  stream: string,
  from: string = streamStart,
): AsyncGenerator<StoredEvent> {
  for (let offset = from; ; ) {
    const page = (await events.after(stream, offset, pageSize)) ?? [];
    yield* page;
    if (page.length < pageSize) return;
    offset = page.at(-1)?.offset ?? offset;
  }
}
