import { examine } from "../../doctor/examine.ts";
import { applyLoad, percentileOf, toHistogram } from "../../doctor/load-test.ts";
import { startBackgroundTimer } from "../../lib/async/timers.ts";
import type { InspectedConnection } from "../connections/connection.ts";
import type { DoctorReport, JudgeRequests, LoadReport } from "../messages/judge.ts";
import { assertOperation, runOperation } from "../revisions/operation.ts";
import { InspectorError } from "../session/failure.ts";
import type { Handlers, PageCall } from "../session/handler.ts";
import { LoadTimeline } from "./load-timeline.ts";

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

async function examineServer(
  { choice, options }: InspectedConnection,
  call: PageCall,
): Promise<DoctorReport> {
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

async function measureLoad(
  callOnce: () => Promise<string | undefined>,
  plan: { readonly count: number; readonly concurrency: number },
  { id, signal, push }: PageCall,
): Promise<LoadReport> {
  const timeline = new LoadTimeline();
  const timer = startBackgroundTimer(
    () => push("load-sample", { request: id, sample: timeline.sample() }),
    sampleMs,
  );
  try {
    const { percentiles, latencies, problems, ...totals } = await applyLoad(callOnce, {
      ...plan,
      signal,
      onCall: (latencyMs, problem) => timeline.add(latencyMs, problem !== undefined),
    });
    return {
      ...totals,
      latency: { min: percentileOf(latencies, 0), ...percentiles },
      histogram: toHistogram(latencies),
      samples: timeline.toSamples(),
      failures: problems.map(({ problem }) => problem),
    };
  } finally {
    clearInterval(timer);
  }
}
