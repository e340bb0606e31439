import { useState } from "preact/hooks";
import type { Failure } from "../../../../src/inspector/messages/reply.ts";
import type { LogLevel } from "../../../../src/protocol/model/logging.ts";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toClock } from "../../parts/format.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { type Followed, follow, isFollowed, unfollow, whyEnded } from "../../state/following.ts";
import { request, toFailure } from "../../state/link.ts";
import { changes, chosenLevels, logs } from "../../state/session.ts";
import type { ServerViewProps } from "./server-page.tsx";

const levels: readonly LogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** What the server says by itself: log messages, and changes of what was subscribed to. */
export function LiveView({ connection }: ServerViewProps) {
  const [failure, setFailure] = useState<Failure>();
  const followed: Followed = { connection: connection.id, lists: ["tools", "prompts", "resources"] };
  const isFollowing = isFollowed(followed);
  const ended = whyEnded(followed);
  const [search, setSearch] = useState("");
  const report = (error: unknown) => setFailure(toFailure(error));
  const setLevel = (level: LogLevel) => {
    chosenLevels.value = { ...chosenLevels.value, [connection.id]: level };
    request("set-log-level", { connection: connection.id, level }).catch(report);
  };
  const change = () => void (isFollowing ? unfollow(followed) : follow(followed)).catch(report);
  const lines = linesOf(connection.id).filter(({ text, what }) =>
    `${what} ${text}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <div class="page fill">
      <div class="row wraps">
        <label class="row small">
          Log level
          <select
            value={chosenLevels.value[connection.id] ?? ""}
            onChange={(event) => setLevel(event.currentTarget.value as LogLevel)}
          >
            <option value="" disabled>
              as the server has it
            </option>
            {levels.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </label>
        <Button icon="bell" pressed={isFollowing} onPress={change}>
          {isFollowing ? "Following the lists" : "Follow the lists"}
        </Button>
        <input
          type="search"
          aria-label="Search what the server said"
          placeholder="Search"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {ended && <FailureNote failure={{ code: "subscription-ended", message: ended }} />}
      {failure && <FailureNote failure={failure} />}
      {lines.length === 0 ? (
        <p class="soft">Nothing yet. Log messages and changes appear here as they come.</p>
      ) : (
        <VirtualList
          label="Log messages and changes"
          count={lines.length}
          rowRem={1.75}
          followsEnd
          row={(at) => lines[at] && <LineRow line={lines[at]} />}
        />
      )}
    </div>
  );
}

interface LiveLine {
  readonly at: number;
  readonly what: string;
  readonly text: string;
}

function linesOf(connection: string): readonly LiveLine[] {
  const said = logs.value
    .filter((line) => line.connection === connection)
    .map(({ at, level, logger, data }) => ({
      at,
      what: level,
      text: `${logger ? `${logger}: ` : ""}${typeof data === "string" ? data : JSON.stringify(data)}`.slice(
        0,
        2000,
      ),
    }));
  const changed = changes.value
    .filter((line) => line.connection === connection)
    .map(({ at, change }) => ({
      at,
      what: "changed",
      text: change.kind === "resource" ? change.uri : `the list of ${change.kind}`,
    }));
  return [...said, ...changed].sort((one, other) => one.at - other.at);
}

function LineRow({ line }: { readonly line: LiveLine }) {
  return (
    <span class="live-line" title={line.text}>
      <span class="number faint tiny">{toClock(line.at)}</span>
      <span class={`live-what ${line.what}`}>{line.what}</span>
      <span class="clip mono small">{line.text}</span>
    </span>
  );
}
