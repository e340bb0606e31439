import { useEffect, useState } from "preact/hooks";
import type { Task } from "../../../../../src/protocol/model/task.ts";
import { Badge, Empty, type Tone } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { FailureNote } from "../../../parts/failure-note.tsx";
import { toClock, toDuration } from "../../../parts/format.ts";
import { Input } from "../../../parts/input.tsx";
import { onEvent } from "../../../state/link.ts";
import { useRequest } from "../../../state/use-request.ts";
import type { ServerViewProps } from "../server-page.tsx";
import { isRunning, TaskDetail } from "./task-detail.tsx";

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
  if (!result && !failure) return <p class="loading soft">Listing the tasks…</p>;
  const tasks = result?.tasks ?? [];
  const isUnlisted = chosen !== undefined && !tasks.some(({ taskId }) => taskId === chosen);
  return (
    <div class="page">
      <div class="row">
        <h2 class="grow">Tasks</h2>
        <Button icon="reload" onPress={reload}>
          Refresh
        </Button>
      </div>
      <TaskById onLook={(id) => place.go(["tasks", id])} />
      {isUnlisted && <TaskDetail key={chosen} connection={connection.id} id={chosen} onChange={reload} />}
      {failure && <FailureNote failure={failure} />}
      {tasks.length === 0 && !failure && (
        <Empty title="No tasks">A call becomes a task if you ask for it, or if the server decides so.</Empty>
      )}
      <ul class="rows">
        {tasks.slice(0, 500).map((task) => (
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
              <TaskDetail
                connection={connection.id}
                id={task.taskId}
                version={task.lastUpdatedAt + task.status}
                onChange={reload}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function lifeOf(task: Task): string {
  const { createdAt, lastUpdatedAt, ttlMs } = task;
  const took = Date.parse(lastUpdatedAt) - Date.parse(createdAt);
  const words = isRunning(task) ? `since ${toClock(Date.parse(createdAt))}` : `took ${toDuration(took)}`;
  return ttlMs === null ? words : `${words}, kept for ${toDuration(ttlMs)}`;
}

/** Not every server lists its tasks, and a task may come from another client. */
function TaskById({ onLook }: { readonly onLook: (id: string) => void }) {
  const [id, setId] = useState("");
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== "") onLook(id.trim());
      }}
    >
      <Input
        class="mono grow"
        type="text"
        aria-label="Id of a task"
        placeholder="id of a task"
        autocomplete="off"
        value={id}
        onInput={(event) => setId(event.currentTarget.value)}
      />
      <Button type="submit" disabled={id.trim() === ""}>
        Look it up
      </Button>
    </form>
  );
}
