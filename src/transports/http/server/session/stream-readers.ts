import { startBackgroundTimer } from "../../../../lib/async/timers.ts";
import type { ValueStore } from "../../../../state/state.ts";

/** Notes that a stream is read here, so that the node that writes it does not give its calls up. Returns the function that ends it. */
export function noteReader(values: ValueStore, stream: string, ttlMs: number): () => void {
  const note = async () => {
    try {
      await values.put(toKey(stream), "", ttlMs);
    } catch {
      // The next one may succeed; until then the writer takes the client for absent.
    }
  };
  void note();
  const timer = startBackgroundTimer(() => void note(), ttlMs / 3);
  return () => clearInterval(timer);
}

/** Whether a stream is read at some node, or was a moment ago. */
export async function hasReader(values: ValueStore, stream: string): Promise<boolean> {
  return (await values.get(toKey(stream))) !== undefined;
}

function toKey(stream: string): string {
  return `reader/${stream}`;
}
