/**
 * The callers that share a connection to a server. `shared`: all of them, so that one may see what the server keeps for
 * another. `per-principal`: those of one principal. `per-session`: those of one session of one principal.
 */
export type Isolation = "shared" | "per-principal" | "per-session";

export const isolations: readonly Isolation[] = ["shared", "per-principal", "per-session"];
