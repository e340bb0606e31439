import { randomHex } from "../lib/encoding/random-token.ts";

/** The id of a node: one endpoint of one process, among all that share a state. */
export function createNodeId(): string {
  return `n${randomHex(6)}`;
}

/** The node that made an id, which begins with its own; undefined for an id of another form. */
export function nodeOf(id: unknown): string | undefined {
  return typeof id === "string" ? /^(n[0-9a-f]{12})[._][0-9a-f]{1,64}$/.exec(id)?.[1] : undefined;
}
