import { useState } from "preact/hooks";
import type { Comparison, RecordingView } from "../../../../src/inspector/messages/recording.ts";
import type { Failure } from "../../../../src/inspector/messages/reply.ts";
import type { RequestResult } from "../../../../src/inspector/messages.ts";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toCount } from "../../parts/format.ts";
import { CodeText } from "../../parts/json-text.tsx";
import { run, useOutcome } from "../../state/calls.ts";
import { request, toFailure } from "../../state/link.ts";
import { go } from "../../state/route.ts";
import { openConnections, putConnection, recordings } from "../../state/session.ts";
import { ComparisonView } from "./comparison-view.tsx";
import { saveFile } from "./save-file.ts";

interface Compared {
  readonly with: string;
  readonly comparison: Comparison;
}

type TestFiles = RequestResult<"recording-as-test">["files"];

/** What can be done with one recording. */
export function RecordingDetail({ recording }: { readonly recording: RecordingView }) {
  const [outcome, setOutcome] = useOutcome<RequestResult<"replay-recording">>(`replay ${recording.id}`);
  const [compared, setCompared] = useState<Compared>();
  const [files, setFiles] = useState<TestFiles>([]);
  const [failure, setFailure] = useState<Failure>();
  const others = recordings.value.filter(({ id }) => id !== recording.id);
  const report = (error: unknown) => setFailure(toFailure(error));
  const replay = (connection: string) => {
    const target = { kind: "connection", connection } as const;
    void run("replay-recording", { recording: recording.id, target }, "replay", setOutcome);
  };
  const compare = async (right: string) => {
    const { comparison } = await request("compare-recordings", { left: recording.id, right });
    setCompared({ with: others.find(({ id }) => id === right)?.name ?? right, comparison });
  };
  const connect = async () => {
    const { connection } = await request("connect-recording", { recording: recording.id });
    putConnection(connection);
    go(["server", connection.id, "tools"]);
  };
  const makeTest = async () =>
    setFiles((await request("recording-as-test", { recording: recording.id })).files);
  return (
    <section class="stack" aria-label={recording.name}>
      <div class="panel row wraps">
        <h2>{recording.name}</h2>
        <span class="grow" />
        <Chooser
          label="Replay it against"
          action="Replay"
          isBusy={outcome.state === "running"}
          options={openConnections.value.map(({ id, label }) => [id, label])}
          onAct={replay}
        />
        <Chooser
          label="Compare it with"
          action="Compare"
          options={others.map(({ id, name }) => [id, name])}
          onAct={(id) => void compare(id).catch(report)}
        />
        <Button icon="plug" onPress={() => void connect().catch(report)}>
          Use it as a server
        </Button>
        <Button onPress={() => void makeTest().catch(report)}>Make a test of it</Button>
      </div>
      {failure && <FailureNote failure={failure} />}
      {outcome.state === "running" && <progress aria-label="Replay" />}
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      {outcome.state === "done" && (
        <ComparisonView title="Replay" sides={["recorded", "now"]} comparison={outcome.result.comparison}>
          {outcome.result.answered > 0 && (
            <p class="small soft">
              {toCount(outcome.result.answered, "question")} of the server got the recorded{" "}
              {outcome.result.answered === 1 ? "answer" : "answers"}.
            </p>
          )}
        </ComparisonView>
      )}
      {compared && (
        <ComparisonView
          title="Comparison"
          sides={[recording.name, compared.with]}
          comparison={compared.comparison}
        />
      )}
      {files.map(({ fileName, text }) => (
        <div class="card stack" key={fileName}>
          <div class="row">
            <h3 class="grow mono">{fileName}</h3>
            <Button icon="save" onPress={() => saveFile(fileName, text)}>
              Save
            </Button>
          </div>
          <CodeText text={text} label={fileName} />
        </div>
      ))}
    </section>
  );
}

interface ChooserProps {
  readonly label: string;
  readonly options: readonly (readonly [id: string, title: string])[];
  readonly action: string;
  readonly isBusy?: boolean;
  readonly onAct: (id: string) => void;
}

/** A list, and a button that acts on what is chosen. */
function Chooser({ label, options, action, isBusy = false, onAct }: ChooserProps) {
  const [typed, setTyped] = useState("");
  const chosen = options.some(([id]) => id === typed) ? typed : "";
  return (
    <span class="row">
      <select
        aria-label={label}
        value={chosen}
        disabled={options.length === 0}
        onChange={(event) => setTyped(event.currentTarget.value)}
      >
        <option value="">{label}…</option>
        {options.map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <Button onPress={() => onAct(chosen)} disabled={chosen === "" || isBusy}>
        {action}
      </Button>
    </span>
  );
}
