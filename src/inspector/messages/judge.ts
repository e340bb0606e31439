import type { Finding } from "../../doctor/finding.ts";
import type { Operation } from "./revisions.ts";

export interface JudgeRequests {
  /** Everything that `allspeak doctor` finds out about a server. Connects several times. */
  examine: {
    readonly params: { readonly connection: string };
    readonly result: { readonly report: DoctorReport };
  };
  /** Many calls over one connection. `cancel` ends it; what was measured so far is lost then. */
  "load-test": {
    readonly params: {
      readonly connection: string;
      readonly operation: Operation;
      /** At most 20,000. */
      readonly calls: number;
      /** At most 200. */
      readonly concurrency: number;
    };
    readonly result: { readonly report: LoadReport };
  };
}

export interface JudgeEvents {
  /** The present step of the doctor; `request` is the id of the request. Reaches only the socket that sent it. */
  "examine-step": { readonly request: number; readonly what: string };
  /** The state of a load test, four times a second. Reaches only the socket that sent it. */
  "load-sample": { readonly request: number; readonly sample: LoadSample };
}

export interface DoctorReport {
  readonly server: { readonly name?: string; readonly version?: string; readonly revision: string };
  readonly transport: string;
  readonly negotiation: {
    readonly ms: number;
    readonly steps: readonly {
      readonly atMs: number;
      readonly direction: "sent" | "received";
      readonly what: string;
    }[];
  };
  readonly revisions: readonly {
    readonly revision: string;
    readonly isSpoken: boolean;
    readonly ms: number;
    readonly reason?: string;
  }[];
  readonly extensions: readonly string[];
  /** The number of tools, resources, templates and prompts. */
  readonly counts: Readonly<Record<string, number>>;
  readonly listMs: number;
  /** The estimated cost of each tool in the context of a model. */
  readonly tokens: {
    readonly total: number;
    readonly tools: readonly { readonly tool: string; readonly tokens: number }[];
  };
  /** The parts that each model provider would refuse or not understand. */
  readonly providers: readonly {
    readonly tool: string;
    readonly provider: string;
    readonly problems: readonly string[];
  }[];
  readonly findings: readonly Finding[];
}

/** The state of a load test at one time. */
export interface LoadSample {
  readonly atMs: number;
  readonly calls: number;
  readonly failed: number;
  /** Of the calls since the sample before, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface LoadReport {
  readonly calls: number;
  readonly failed: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** In milliseconds. */
  readonly latency: {
    readonly min: number;
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
    readonly max: number;
  };
  /** Calls by latency: each bucket ends at `upToMs`. */
  readonly histogram: readonly { readonly upToMs: number; readonly calls: number }[];
  readonly samples: readonly LoadSample[];
  /** The reasons of failed calls, the most frequent first. */
  readonly failures: readonly string[];
}
