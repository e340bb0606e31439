import type { RequestResult } from "../../../../src/inspector/messages.ts";
import { Empty } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { ServerSelect } from "../../parts/server-select.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { openCallOf, run, useOutcome } from "../../state/calls.ts";
import { go, hrefOf, route, setQuery } from "../../state/route.ts";
import { connectionOf, openConnections } from "../../state/session.ts";
import { LoadView } from "./load-view.tsx";
import { ReportView } from "./report-view.tsx";

export function JudgePage() {
  const { query, path } = route.value;
  const isLoad = path[1] === "load";
  const connection = connectionOf(query.get("server") ?? undefined) ?? openConnections.value[0];
  return (
    <div class="page wide">
      <header class="row wraps">
        <h1>Judge</h1>
        <Tabs
          label="What to judge"
          tabs={[
            { name: "report", title: "Report" },
            { name: "load", title: "Load test" },
          ]}
          chosen={isLoad ? "load" : "report"}
          onChoose={(name) => go(name === "load" ? ["judge", "load"] : ["judge"], Object.fromEntries(query))}
        />
        {connection && <ServerSelect chosen={connection.id} onChoose={(server) => setQuery({ server })} />}
      </header>
      {!connection ? (
        <Empty title="No server is connected">
          <a href={hrefOf(["connect"])}>Connect to one first.</a>
        </Empty>
      ) : isLoad ? (
        <LoadView key={connection.id} connection={connection.id} />
      ) : (
        <Examination key={connection.id} connection={connection.id} />
      )}
    </div>
  );
}

function Examination({ connection }: { readonly connection: string }) {
  const [outcome, setOutcome] = useOutcome<RequestResult<"examine">>(`examination of ${connection}`);
  const isRunning = outcome.state === "running";
  return (
    <>
      <div class="row">
        <Button
          look="main"
          icon="judge"
          disabled={isRunning}
          onPress={() => void run("examine", { connection }, "doctor", setOutcome)}
        >
          {outcome.state === "done" ? "Examine again" : "Examine the server"}
        </Button>
        {isRunning && (
          <span class="small soft" role="status">
            {openCallOf(outcome)?.step}
          </span>
        )}
      </div>
      {outcome.state === "idle" && (
        <p class="soft">
          The doctor connects in each revision, reads what the server offers, estimates what it costs a model,
          and looks for trouble.
        </p>
      )}
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      {outcome.state === "done" && <ReportView report={outcome.result.report} />}
    </>
  );
}
