import { useState } from "preact/hooks";
import type { RequestResult } from "../../../../src/inspector/messages.ts";
import type { JsonObject } from "../../../../src/lib/json.ts";
import { JsonEditor } from "../../form/json-editor.tsx";
import { isRecord } from "../../form/schema.ts";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { Form } from "../../parts/form.tsx";
import { toDuration } from "../../parts/format.ts";
import { JsonText } from "../../parts/json-text.tsx";
import { cancel, run, useOutcome } from "../../state/calls.ts";
import { useKept } from "../../state/kept.ts";
import { recall, remember } from "../../state/remember.ts";
import { Line } from "../connect/target-forms.tsx";
import type { ServerViewProps } from "./server-page.tsx";

/** Any request or notification, as it is written. */
export function RawView({ connection }: ServerViewProps) {
  const part = `raw ${connection.id}`;
  const [typed, setMethod] = useKept<string | undefined>(`method of ${part}`, undefined);
  const method = typed ?? recall<string>("raw-method") ?? "tools/list";
  const [params, setParams] = useKept<unknown>(`params of ${part}`, {});
  const [outcome, setOutcome] = useOutcome<
    RequestResult<"send-request"> | RequestResult<"send-notification">
  >(part);
  const [problem, setProblem] = useState<string>();
  const send = (type: "send-request" | "send-notification") => {
    if (problem !== undefined) return;
    remember("raw-method", method);
    const given = isRecord(params) ? { params: params as JsonObject } : {};
    void run(type, { connection: connection.id, method: method.trim(), ...given }, method, setOutcome);
  };
  return (
    <div class="page">
      <h2>Any message</h2>
      <Form onSubmit={() => send("send-request")}>
        <Line label="Method" value={method} placeholder="tools/list" onChange={setMethod} />
        <JsonEditor label="Params as JSON" value={params} onChange={setParams} onProblem={setProblem} />
        <div class="row">
          <Button look="main" icon="play" type="submit" disabled={outcome.state === "running"}>
            Send as a request
          </Button>
          <Button onPress={() => send("send-notification")}>Send as a notification</Button>
          {outcome.state === "running" && (
            <Button icon="stop" onPress={() => cancel(outcome.id)}>
              Cancel
            </Button>
          )}
        </div>
      </Form>
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      {outcome.state === "done" && <Reply result={outcome.result} />}
    </div>
  );
}

function Reply({ result }: { readonly result: unknown }) {
  if (!isRecord(result) || typeof result.ms !== "number") return <p class="good">Sent.</p>;
  return (
    <section class="stack tight" aria-label="Result">
      <span class="small faint number">{toDuration(result.ms)}</span>
      <JsonText value={result.result} label="Result" />
    </section>
  );
}
