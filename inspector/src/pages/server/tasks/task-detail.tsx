import { useState } from "preact/hooks";
import type { Failure } from "../../../../../src/inspector/messages/reply.ts";
import type { RequestResult } from "../../../../../src/inspector/messages.ts";
import type { Task } from "../../../../../src/protocol/model/task.ts";
import { Button } from "../../../parts/button.tsx";
import { FailureNote } from "../../../parts/failure-note.tsx";
import { JsonText } from "../../../parts/json-text.tsx";
import { run, useOutcome } from "../../../state/calls.ts";
import { request, toFailure } from "../../../state/link.ts";
import { useRequest } from "../../../state/use-request.ts";
import { ToolResult } from "../tools/tool-result.tsx";

export function isRunning({ status }: Pick<Task, "status">): boolean {
  return status === "working" || status === "input_required";
}

interface TaskDetailProps {
  readonly connection: string;
  readonly id: string;
  /** Changes whenever the task does. */
  readonly version?: string;
  readonly onChange: () => void;
}

/** One task by its id: its state, its result, and a way to cancel it. */
export function TaskDetail({ connection, id, version, onChange }: TaskDetailProps) {
  const params = { connection, task: id };
  const { result, failure } = useRequest("get-task", params, version);
  const [outcome, setOutcome] = useOutcome<RequestResult<"await-task">>(`task ${connection} ${id}`);
  const [cancelFailure, setCancelFailure] = useState<Failure>();
  const cancel = () => {
    request("cancel-task", params).then(onChange, (error: unknown) => setCancelFailure(toFailure(error)));
  };
  return (
    <div class="stack card">
      {result && (
        <div class="row wraps">
          <Button
            icon="play"
            disabled={outcome.state === "running"}
            onPress={() => void run("await-task", params, "task", setOutcome)}
          >
            Await its result
          </Button>
          {isRunning(result.task) && (
            <Button icon="stop" onPress={cancel}>
              Cancel the task
            </Button>
          )}
        </div>
      )}
      {cancelFailure && <FailureNote failure={cancelFailure} />}
      {failure && <FailureNote failure={failure} />}
      <ToolResult connection={connection} outcome={outcome} />
      {result && <JsonText value={result.task} label="Task" />}
    </div>
  );
}
