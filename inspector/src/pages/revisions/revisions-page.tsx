import { useMemo, useState } from "preact/hooks";
import type { RevisionAnswer } from "../../../../src/inspector/messages/revisions.ts";
import type { RequestResult } from "../../../../src/inspector/messages.ts";
import { Badge, Empty } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toDuration } from "../../parts/format.ts";
import { OperationPicker } from "../../parts/operation-picker.tsx";
import { ServerSelect } from "../../parts/server-select.tsx";
import { openCallOf, run, useOutcome } from "../../state/calls.ts";
import { hrefOf, route, setQuery } from "../../state/route.ts";
import { connectionOf, openConnections } from "../../state/session.ts";
import { useOperation } from "../../state/use-operation.ts";
import { PathTable } from "./path-table.tsx";

/** One call as a client of each revision, with the answers side by side. */
export function RevisionsPage() {
  const { query } = route.value;
  const connection = connectionOf(query.get("server") ?? undefined) ?? openConnections.value[0];
  const [operation, setOperation] = useOperation(connection?.id ?? "");
  const [problem, setProblem] = useState<string>();
  const [outcome, setOutcome] = useOutcome<RequestResult<"ask-in-revisions">>(
    `revisions of ${connection?.id}`,
  );
  const ask = () => {
    if (!connection) return;
    const target = { kind: "connection", connection: connection.id } as const;
    void run("ask-in-revisions", { target, operation }, "five revisions", setOutcome);
  };
  const isBusy = outcome.state === "running";
  const answers = outcome.state === "done" ? outcome.result.answers : (openCallOf(outcome)?.answers ?? []);
  return (
    <div class="page wide">
      <header class="stack tight">
        <h1>Five revisions at once</h1>
        <p class="soft">
          One call, sent as a client of each revision of the protocol. Differences are marked.
        </p>
      </header>
      {connection ? (
        <div class="panel">
          <div class="row wraps">
            <ServerSelect chosen={connection.id} onChoose={(server) => setQuery({ server })} />
            <OperationPicker
              key={connection.id}
              connection={connection.id}
              operation={operation}
              onChange={setOperation}
              onProblem={setProblem}
            />
          </div>
          <div>
            <Button look="main" icon="play" onPress={ask} disabled={isBusy || problem !== undefined}>
              Ask in each revision
            </Button>
          </div>
        </div>
      ) : (
        <Empty title="No server is connected">
          <a href={hrefOf(["connect"])}>Connect to one first.</a>
        </Empty>
      )}
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      {answers.length > 0 && <Answers answers={answers} />}
    </div>
  );
}

function Answers({ answers }: { readonly answers: readonly RevisionAnswer[] }) {
  const sorted = useMemo(
    () => [...answers].sort((one, other) => (one.revision < other.revision ? -1 : 1)),
    [answers],
  );
  const answered = sorted.filter(({ result }) => result !== undefined);
  return (
    <>
      <ul class="revision-heads">
        {sorted.map((answer) => (
          <li key={answer.revision} class="card">
            <div class="row wraps">
              <strong class="number">{answer.revision}</strong>
              <span class="grow" />
              <Verdict answer={answer} isOnly={answered.length === 1} isFirst={answer === answered.at(-1)} />
            </div>
            <div class="row tiny faint">
              <span class="number">{toDuration(answer.ms)}</span>
              {answer.wire && <a href={hrefOf(["wire"], { between: answer.wire.join("-") })}>on the wire</a>}
            </div>
            {answer.failure && <p class="small wrap">{answer.failure.message.slice(0, 300)}</p>}
          </li>
        ))}
      </ul>
      <PathTable answers={answered} />
    </>
  );
}

interface VerdictProps {
  readonly answer: RevisionAnswer;
  readonly isOnly: boolean;
  /** True for the answer with which the others are compared. */
  readonly isFirst: boolean;
}

function Verdict({ answer, isOnly, isFirst }: VerdictProps) {
  if (!answer.isSpoken) return <Badge>not spoken</Badge>;
  if (answer.failure) return <Badge tone="bad">failed</Badge>;
  if (isOnly) return <Badge tone="good">answered</Badge>;
  if (isFirst) return <Badge tone="info">compared with this</Badge>;
  if (answer.differences.length === 0) return <Badge tone="good">same</Badge>;
  return <Badge tone="warn">{answer.differences.length} differences</Badge>;
}
