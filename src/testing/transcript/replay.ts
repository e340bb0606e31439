import { UsageError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import type { ReplayReport } from "./difference.ts";
import { PlayedServer } from "./played-server.ts";
import { type ReplayOptions, type ReplayTarget, replayToServer } from "./replay-to-server.ts";
import { parseTranscript, type Transcript } from "./transcript.ts";

/** A recorded conversation that can be had again, with one of its sides. */
export interface Replay {
  /** Sends a server what the client sent, and compares what it answers. */
  toServer(server: ReplayTarget, options?: ReplayOptions): Promise<ReplayReport>;
  /** Plays the server: connect a client to its `transport`, and compare what the client sent at the end. */
  asServer(options?: Pick<ReplayOptions, "ignore">): PlayedServer;
}

/** Takes a transcript, or its text. Ids, tokens, cursors, sealed state and times of tasks may differ from it. */
export function replay(given: Transcript | string): Replay {
  const transcript = typeof given === "string" ? parseTranscript(given) : given;
  if (!isObject(transcript) || !Array.isArray(transcript.entries))
    throw new UsageError("replay takes a transcript, or the text of its file.");
  return {
    toServer: (server, options = {}) => replayToServer(transcript, server, options),
    asServer: (options = {}) => new PlayedServer(transcript, options),
  };
}
