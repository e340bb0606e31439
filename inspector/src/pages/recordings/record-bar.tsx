import { useId, useState } from "preact/hooks";
import type { RecordingView } from "../../../../src/inspector/messages/recording.ts";
import { Button } from "../../parts/button.tsx";
import { request } from "../../state/link.ts";
import { go } from "../../state/route.ts";
import { connectionOf, connections, recordings } from "../../state/session.ts";

/** Characters of a file that is taken in. */
const maxLength = 64_000_000;

interface RecordBarProps {
  /** Without an error, an earlier one is over. */
  readonly onFailure: (error?: unknown) => void;
}

/** Makes a recording of a connection, or takes in a file. */
export function RecordBar({ onFailure }: RecordBarProps) {
  const id = useId();
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState("");
  const connection = connectionOf(chosen) ?? connections.value[0];
  const add = ({ recording }: { readonly recording: RecordingView }) => {
    onFailure();
    recordings.value = [...recordings.value.filter((one) => one.id !== recording.id), recording];
    go(["recordings", recording.id]);
  };
  const save = () => {
    if (!connection) return;
    request("save-recording", { connection: connection.id, name: name.trim() || connection.label }).then(
      add,
      onFailure,
    );
  };
  const load = async (file: File) => {
    if (file.size > maxLength) throw new Error("The file is too large for a recording.");
    add(await request("load-recording", { name: file.name, text: await file.text() }));
  };
  return (
    <div class="panel row wraps">
      <label class="row small">
        Record
        <select value={connection?.id ?? ""} onChange={(event) => setChosen(event.currentTarget.value)}>
          {connections.value.map((one) => (
            <option key={one.id} value={one.id}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      <input
        type="text"
        aria-label="Name of the recording"
        placeholder={connection ? `name, such as ${connection.label}` : "name"}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Button look="main" icon="record" disabled={!connection} onPress={save}>
        Save what was said so far
      </Button>
      <span class="grow" />
      <label class="button" for={id}>
        Load a file
      </label>
      <input
        id={id}
        class="hidden-text"
        type="file"
        accept=".json,.jsonl,.ndjson,application/json"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) load(file).catch(onFailure);
        }}
      />
    </div>
  );
}
