import { useState } from "preact/hooks";
import type { RecordingView } from "../../../../src/inspector/messages/recording.ts";
import type { Failure } from "../../../../src/inspector/messages/reply.ts";
import { Badge, Empty } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toBytes, toClock, toCount } from "../../parts/format.ts";
import { request, toFailure } from "../../state/link.ts";
import { hrefOf, route } from "../../state/route.ts";
import { recordings } from "../../state/session.ts";
import { RecordBar } from "./record-bar.tsx";
import { RecordingDetail } from "./recording-detail.tsx";
import { saveFile } from "./save-file.ts";

/** Conversations as files: kept, compared, replayed, and turned into tests. */
export function RecordingsPage() {
  const [failure, setFailure] = useState<Failure>();
  const chosen = recordings.value.find(({ id }) => id === route.value.path[1]);
  const report = (error?: unknown) => setFailure(error === undefined ? undefined : toFailure(error));
  return (
    <div class="page wide">
      <header class="stack tight">
        <h1>Recordings</h1>
        <p class="soft">A recording is a file. Replay it against a server, or let it play the server.</p>
      </header>
      <RecordBar onFailure={report} />
      {failure && <FailureNote failure={failure} />}
      {recordings.value.length === 0 ? (
        <Empty title="No recordings yet">Record a connection, or load a file.</Empty>
      ) : (
        <ul class="rows card">
          {recordings.value.map((recording) => (
            <RecordingRow
              key={recording.id}
              recording={recording}
              isChosen={recording === chosen}
              onFailure={report}
            />
          ))}
        </ul>
      )}
      {chosen && <RecordingDetail key={chosen.id} recording={chosen} />}
    </div>
  );
}

interface RecordingRowProps {
  readonly recording: RecordingView;
  readonly isChosen: boolean;
  readonly onFailure: (error?: unknown) => void;
}

function RecordingRow({ recording, isChosen, onFailure }: RecordingRowProps) {
  const { id, name } = recording;
  const download = async () => {
    const { fileName, text } = await request("read-recording", { recording: id });
    saveFile(fileName, text);
  };
  const remove = async () => {
    await request("delete-recording", { recording: id });
    recordings.value = recordings.value.filter((one) => one.id !== id);
  };
  return (
    <li class="row wraps">
      <a class="grow clip" href={hrefOf(["recordings", id])} aria-current={isChosen ? "page" : undefined}>
        <strong>{name}</strong>
      </a>
      {recording.server && <span class="small soft clip">{recording.server}</span>}
      {recording.revision && <Badge>{recording.revision}</Badge>}
      <span class="tiny faint number">
        {toCount(recording.messages, "message")}, {toBytes(recording.bytes)}, {toClock(recording.createdAt)}
      </span>
      <Button
        look="quiet"
        icon="save"
        label={`Save ${name} as a file`}
        onPress={() => void download().catch(onFailure)}
      />
      <Button
        look="quiet"
        icon="trash"
        label={`Delete ${name}`}
        onPress={() => void remove().catch(onFailure)}
      />
    </li>
  );
}
