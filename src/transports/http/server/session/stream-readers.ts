import type { ClusterNode } from "../../../../cluster/node.ts";
import { keepRenewing } from "../../../../cluster/renewal.ts";
import type { ValueStore } from "../../../../state/state.ts";

/** Notes that a stream is read here, so that the node that writes it does not give its calls up. Returns the function that ends it. */
export function noteReader(values: ValueStore, stream: string, ttlMs: number): () => void {
  return keepRenewing(async () => values.put(toKey(stream), "", ttlMs), ttlMs / 3);
}

/** True if a stream is read at some node, or was a moment ago, or its readers may have been cut off with this node. */
export async function mayHaveReader(
  { state, liveness }: Pick<ClusterNode, "state" | "liveness">,
  stream: string,
): Promise<boolean> {
  return (await state.values.get(toKey(stream))) !== undefined || liveness.wasCutOff;
}

function toKey(stream: string): string {
  return `reader/${stream}`;
}
