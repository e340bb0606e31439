import { useState } from "preact/hooks";
import type { LoadReport } from "../../../../src/inspector/messages/judge.ts";
import type { RequestResult } from "../../../../src/inspector/messages.ts";
import { Note } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toDuration } from "../../parts/format.ts";
import { OperationPicker } from "../../parts/operation-picker.tsx";
import { cancel, openCallOf, run, useOutcome } from "../../state/calls.ts";
import { recall, remember } from "../../state/remember.ts";
import { useOperation } from "../../state/use-operation.ts";
import { Histogram } from "./histogram.tsx";
import { TimePlot } from "./time-plot.tsx";

interface Amount {
  readonly calls: number;
  readonly concurrency: number;
}

/** Many calls of one kind: how long each takes, and how that changes over time. */
export function LoadView({ connection }: { readonly connection: string }) {
  const [operation, setOperation] = useOperation(connection);
  const [problem, setProblem] = useState<string>();
  const [amount, setAmount] = useState<Amount>(recall("load") ?? { calls: 500, concurrency: 10 });
  const [outcome, setOutcome] = useOutcome<RequestResult<"load-test">>(`load of ${connection}`);
  const start = () => {
    remember("load", amount);
    void run("load-test", { connection, operation, ...amount }, "load test", setOutcome);
  };
  const report = outcome.state === "done" ? outcome.result.report : undefined;
  const samples = openCallOf(outcome)?.samples ?? [];
  const last = samples.at(-1);
  return (
    <>
      <div class="panel">
        <div class="row wraps">
          <OperationPicker
            connection={connection}
            operation={operation}
            onChange={setOperation}
            onProblem={setProblem}
          />
          <Amounts amount={amount} onChange={setAmount} />
        </div>
        <div class="row">
          <Button
            look="main"
            icon="load"
            disabled={outcome.state === "running" || problem !== undefined}
            onPress={start}
          >
            Start
          </Button>
          {outcome.state === "running" && (
            <Button icon="stop" onPress={() => cancel(outcome.id)}>
              Stop
            </Button>
          )}
          {outcome.state === "running" && last && (
            <span class="small soft number" role="status">
              {last.calls.toLocaleString("en")} calls, {last.failed} failed, p50 {toDuration(last.p50)}
            </span>
          )}
        </div>
      </div>
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      {report ? <Report report={report} /> : samples.length > 1 && <TimePlot samples={samples} />}
    </>
  );
}

function Amounts({
  amount,
  onChange,
}: {
  readonly amount: Amount;
  readonly onChange: (amount: Amount) => void;
}) {
  const number = (name: keyof Amount, most: number, title: string) => (
    <label class="row small">
      {title}
      <input
        type="number"
        class="narrow"
        min={1}
        max={most}
        value={amount[name]}
        onInput={(event) =>
          onChange({ ...amount, [name]: Math.min(most, Math.max(1, Number(event.currentTarget.value))) })
        }
      />
    </label>
  );
  return (
    <>
      {number("calls", 20_000, "Calls")}
      {number("concurrency", 200, "At once")}
    </>
  );
}

function Report({ report }: { readonly report: LoadReport }) {
  const { latency } = report;
  const tiles = [
    [Math.round(report.perSecond).toLocaleString("en"), "calls a second"],
    [toDuration(latency.p50), "half are faster (p50)"],
    [toDuration(latency.p90), "p90"],
    [toDuration(latency.p99), "p99"],
    [toDuration(latency.max), "slowest"],
    [report.failed.toLocaleString("en"), "failed"],
  ] as const;
  return (
    <div class="stack loose">
      <div class="tiles card">
        {tiles.map(([value, label]) => (
          <div class="tile" key={label}>
            <span class="tile-value number">{value}</span>
            <span class="tiny faint">{label}</span>
          </div>
        ))}
      </div>
      {report.failures.map((failure) => (
        <Note key={failure} tone="bad">
          {failure}
        </Note>
      ))}
      <Histogram histogram={report.histogram} latency={latency} />
      <TimePlot samples={report.samples} />
    </div>
  );
}
