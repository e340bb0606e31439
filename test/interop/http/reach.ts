import type { Reached } from "../our-client/talk.ts";
import { serve } from "./serving.ts";

type Mode = "sessions" | "resumable" | "json" | "stateless" | "sse";

/** Starts a server of the official SDK v1, set up in one of its ways. */
export function reachV1(mode: Mode, shape = "streamable"): () => Promise<Reached> {
  return async () => {
    const { url, stop } = await serve("official-v1-http-server", mode);
    return { target: url, shape, stop };
  };
}

/** Starts a server of the official SDK v2, set up in one of its ways. */
export function reachV2(mode: Exclude<Mode, "sse">): () => Promise<Reached> {
  return async () => {
    const { url, stop } = await serve("official-v2-http-server", mode);
    return { target: url, shape: "streamable", stop };
  };
}
