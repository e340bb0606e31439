import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../../../../src/inspector/messages/reply.ts";
import type { Task } from "../../../../src/protocol/model/task.ts";
import { Badge, Empty, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toClock, toDuration } from "../../parts/format.ts";
import { JsonText } from "../../parts/json-text.tsx";
import { onEvent, request, toFailure } from "../../state/link.ts";
import { useRequest } from "../../state/use-request.ts";
import type { ServerViewProps } from "./server-page.tsx";

const tones: Readonly<Record<Task["status"], Tone>> = {
  working: "info",
  input_required: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "plain",
};

export function TasksView({ connection, place }: ServerViewProps) {
  const [version, setVersion] = useState(0);
  const { result, failure } = useRequest("list-tasks", { connection: connection.id }, version);
  const [, chosen] = place.path;
  const reload = () => setVersion((before) => before + 1);
  useEffect(() => onEvent("task", reload), []);
  if (failure) return <FailureNote failure={failure} />;
  if (!result) return <p class="loading soft">Listing the tasks…</p>;
  return (
    <div class="page">
      <div class="row">
        <h2 class="grow">Tasks</h2>
        <Button icon="reload" onPress={reload}>
          Refresh
        </Button>
      </div>
      {result.tasks.length === 0 && (
        <Empty title="No tasks">A call becomes a task if you ask for it, or if the server decides so.</Empty>
      )}
      <ul class="rows">
        {result.tasks.slice(0, 500).map((task) => (
          <li key={task.taskId} class="stack tight">
            <div class="row wraps">
              <Badge tone={tones[task.status] ?? "plain"}>{task.status}</Badge>
              <code class="clip">{task.taskId}</code>
              <span class="soft small clip grow">{task.statusMessage}</span>
              <span class="tiny faint">{lifeOf(task)}</span>
              <Button
                look="quiet"
                onPress={() => place.go(task.taskId === chosen ? ["tasks"] : ["tasks", task.taskId])}
              >
                {task.taskId === chosen ? "Hide" : "Look"}
              </Button>
            </div>
            {task.taskId === chosen && (
              <TaskDetail connection={connection.id} task={task} onChange={reload} />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function isRunning({ status }: Task): boolean {
  return status === "working" || status === "input_required";
}

function lifeOf(task: Task): string {
  const { createdAt, lastUpdatedAt, ttlMs } = task;
  const took = Date.parse(lastUpdatedAt) - Date.parse(createdAt);
  const words = isRunning(task) ? `since ${toClock(Date.parse(createdAt))}` : `took ${toDuration(took)}`;
  return ttlMs === null ? words : `${words}, kept for ${toDuration(ttlMs)}`;
}

interface TaskDetailProps {
  readonly connection: string;
  readonly task: Task;
  readonly onChange: () => void;
}

function TaskDetail({ connection, task, onChange }: TaskDetailProps) {
  const { result, failure } = useRequest(
    "get-task",
    { connection, task: task.taskId },
    task.lastUpdatedAt + task.status,
  );
  const [cancelFailure, setCancelFailure] = useState<Failure>();
  const cancel = () => {
    request("cancel-task", { connection, task: task.taskId }).then(onChange, (error: unknown) =>
      setCancelFailure(toFailure(error)),
    );
  };
  return (
    <div class="stack card">
      {isRunning(task) && (
        <div>
          <Button icon="stop" onPress={cancel}>
            Cancel the task
          </Button>
        </div>
      )}
      {cancelFailure && <FailureNote failure={cancelFailure} />}
      {failure && <FailureNote failure={failure} />}
      {result && <JsonText value={result.task} label="Task" />}
    </div>
  );
}
