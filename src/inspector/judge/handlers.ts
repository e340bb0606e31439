import { examine } from "../../doctor/examine.ts";
import { applyLoad, percentileOf, toHistogram } from "../../doctor/load.ts";
import { startBackgroundTimer } from "../../lib/async/timers.ts";
import type { Connection } from "../connections/connection.ts";
import type { DoctorReport, JudgeRequests, LoadReport, LoadSample } from "../messages/judge.ts";
import { assertOperation, runOperation } from "../revisions/operation.ts";
import { InspectorError } from "../session/failure.ts";
import type { Handlers, PageCall } from "../session/handler.ts";

export const judgeHandlers: Handlers<keyof JudgeRequests> = {
  async examine({ connection }, call) {
    return { report: await examineServer(call.session.connections.get(connection), call) };
  },

  async "load-test"({ connection, operation, calls, concurrency }, call) {
    assertOperation(operation);
    if (calls < 1 || calls > 20_000 || concurrency < 1 || concurrency > 200)
      throw new InspectorError(
        "invalid-request",
        "A load test has 1 to 20,000 calls, and 1 to 200 at a time.",
      );
    const { client } = call.session.connections.get(connection);
    const { signal } = call;
    const callOnce = async () => {
      const { isError } = await runOperation(client, operation, signal);
      return isError === true ? "The tool answered with an error." : undefined;
    };
    return { report: await measureLoad(callOnce, { count: calls, concurrency }, call) };
  },
};

async function examineServer({ choice, options }: Connection, call: PageCall): Promise<DoctorReport> {
  const { session, signal } = call;
  const report = await examine({
    signal,
    onStep: (what) => call.push("examine-step", { request: call.id, what }),
    async visit({ onMessage, onProblem, revisions }, work) {
      const connection = session.connections.create({
        target: choice,
        options: { ...options, ...(revisions && { revisions }) },
        purpose: "doctor",
        observer: { onMessage, onProblem },
      });
      try {
        await session.connections.open(connection, signal);
        return await work(connection.client, connection.place);
      } finally {
        await connection.close();
      }
    },
  });
  const { info, revision } = report.server;
  return { ...report, server: { revision, ...(info && { name: info.name, version: info.version }) } };
}

const sampleMs = 250;
const maxSamples = 2_000;
const maxFailures = 10;

async function measureLoad(
  callOnce: () => Promise<string | undefined>,
  plan: { readonly count: number; readonly concurrency: number },
  { id, signal, push }: PageCall,
): Promise<LoadReport> {
  const startedAt = performance.now();
  const samples: LoadSample[] = [];
  const failures = new Set<string>();
  let recent: number[] = [];
  let [calls, failed] = [0, 0];
  const sample = () => {
    const sorted = recent.sort((a, b) => a - b);
    recent = [];
    const taken = {
      atMs: Math.round(performance.now() - startedAt),
      calls,
      failed,
      p50: percentileOf(sorted, 0.5),
      p99: percentileOf(sorted, 0.99),
    };
    if (samples.length < maxSamples) samples.push(taken);
    push("load-sample", { request: id, sample: taken });
  };
  const timer = startBackgroundTimer(sample, sampleMs);
  const onCall = (latencyMs: number, problem: string | undefined) => {
    recent.push(latencyMs);
    calls++;
    if (problem === undefined) return;
    failed++;
    if (failures.size < maxFailures) failures.add(problem);
  };
  try {
    const load = await applyLoad(callOnce, { ...plan, signal, onCall });
    sample();
    const { percentiles, latencies, ...totals } = load;
    const histogram = toHistogram(latencies);
    const latency = { min: percentileOf(latencies, 0), ...percentiles };
    return { ...totals, latency, histogram, samples, failures: [...failures] };
  } finally {
    clearInterval(timer);
  }
}
