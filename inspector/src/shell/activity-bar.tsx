import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { toBytes, toCount, toDuration } from "../parts/format.ts";
import { cancel, type OpenCall, openCalls } from "../state/calls.ts";
import { linkState } from "../state/link.ts";
import { hrefOf } from "../state/route.ts";
import { connectionOf, problems, wireTotals } from "../state/session.ts";

/** Calls that are open right now, with their progress and a way to give each up. */
export function ActivityBar() {
  const now = useNow(openCalls.value.length > 0);
  const last = problems.value.at(-1);
  return (
    <footer class="activity">
      <div class="activity-calls" role="status" aria-label="Open calls">
        {openCalls.value.slice(-6).map((call) => (
          <CallBar key={call.id} call={call} now={now} />
        ))}
        {openCalls.value.length === 0 && last && <LastProblem {...last} />}
      </div>
      <span class="tiny faint number activity-total">
        {toCount(wireTotals.value.count, "message")} · {toBytes(wireTotals.value.bytes)}
        {wireTotals.value.dropped > 0 && ` · ${toCount(wireTotals.value.dropped, "older one")} dropped`}
        {linkState.value !== "open" && ` · ${linkState.value}`}
      </span>
    </footer>
  );
}

function LastProblem({ message, connection: id }: (typeof problems.value)[number]) {
  const connection = connectionOf(id);
  if (!connection) return <span class="warn clip">{message}</span>;
  return (
    <a class="warn clip" href={hrefOf(["wire"], { server: connection.id, kind: "note" })}>
      {connection.label}: {message}
    </a>
  );
}

function CallBar({ call, now }: { readonly call: OpenCall; readonly now: number }) {
  const { progress, total, message } = call.progress ?? {};
  const share = progress !== undefined && total ? Math.min(1, progress / total) : undefined;
  const words = message ?? call.task?.statusMessage ?? (call.task && `task ${call.task.status}`);
  return (
    <div class="call-bar">
      <span class="clip">
        <strong>{call.title}</strong>
        {call.connection && <span class="faint"> {connectionOf(call.connection)?.label}</span>}
        {words && <span class="soft"> {words}</span>}
      </span>
      {/* An indeterminate bar has no value, and a server may never say a total. */}
      <progress
        aria-label={`Progress of ${call.title}`}
        {...(share === undefined ? {} : { value: share, max: 1 })}
      />
      <span class="tiny faint number">
        {progress !== undefined && `${progress}${total === undefined ? "" : `/${total}`} · `}
        {toDuration(Math.max(0, now - call.startedAt))}
      </span>
      <Button look="quiet" icon="stop" onPress={() => cancel(call.id)}>
        Cancel
      </Button>
    </div>
  );
}

function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
