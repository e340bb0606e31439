import type { ConnectChoice, ConnectionView, TargetChoice } from "./connection.ts";
import type { Nothing } from "./reply.ts";
import type { JsonDifference } from "./revisions.ts";

export interface RecordingRequests {
  /** Makes a recording of the messages of a connection so far, or of a part of them. Secrets are masked. */
  "save-recording": {
    readonly params: {
      readonly connection: string;
      readonly name: string;
      /** Only entries with these sequence numbers, first and last. */
      readonly between?: readonly [first: number, last: number];
    };
    readonly result: { readonly recording: RecordingView };
  };
  /** Takes in a file: a transcript of the testing kit. */
  "load-recording": {
    readonly params: { readonly name: string; readonly text: string };
    readonly result: { readonly recording: RecordingView };
  };
  /** Puts the messages of a recording into the history of the wire, under the id of the recording. */
  "show-recording": {
    readonly params: { readonly recording: string };
    readonly result: { readonly connection: string; readonly wire?: readonly [first: number, last: number] };
  };
  /** The file to download. */
  "read-recording": {
    readonly params: { readonly recording: string };
    readonly result: { readonly fileName: string; readonly text: string };
  };
  "list-recordings": {
    readonly params: Nothing;
    readonly result: { readonly recordings: readonly RecordingView[] };
  };
  "delete-recording": { readonly params: { readonly recording: string }; readonly result: Nothing };
  /**
   * Sends the client's part of a recording to a server again, and compares the answers. Questions of the server get the
   * recorded answers; one that the recording does not have becomes a question to the person.
   */
  "replay-recording": {
    readonly params: {
      readonly recording: string;
      readonly target: TargetChoice | { readonly kind: "connection"; readonly connection: string };
    };
    readonly result: {
      readonly connection: string;
      readonly comparison: Comparison;
      /** The number of questions that the recording has answered. */
      readonly answered: number;
    };
  };
  /** Connects to the recording as if it were a server. */
  "connect-recording": {
    readonly params: { readonly recording: string; readonly options?: ConnectChoice };
    readonly result: { readonly connection: ConnectionView };
  };
  "compare-recordings": {
    readonly params: { readonly left: string; readonly right: string };
    readonly result: { readonly comparison: Comparison };
  };
  /** A vitest test that replays the recording. */
  "recording-as-test": {
    readonly params: { readonly recording: string };
    readonly result: { readonly files: readonly { readonly fileName: string; readonly text: string }[] };
  };
}

export interface RecordingView {
  readonly id: string;
  readonly name: string;
  /** The server that was recorded, as it called itself. */
  readonly server?: string;
  readonly revision?: string;
  readonly messages: number;
  readonly bytes: number;
  readonly createdAt: number;
}

/** The exchanges of two runs, paired in their order. */
export interface Comparison {
  readonly pairs: readonly ComparedPair[];
  readonly same: number;
  readonly different: number;
}

export interface ComparedPair {
  readonly method: string;
  readonly name?: string;
  readonly state: "same" | "different" | "only-left" | "only-right";
  readonly left?: unknown;
  readonly right?: unknown;
  readonly leftMs?: number;
  readonly rightMs?: number;
  readonly differences: readonly JsonDifference[];
}
