import type { WireEntry } from "../../../src/inspector/messages/wire.ts";
import { toBytes, toClock, toDuration } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { connectionOf } from "../state/session.ts";

/** The words for an entry: its method and what it names. */
export function titleOf(entry: WireEntry): string {
  if (entry.kind === "note") return entry.text.slice(0, 500);
  const method =
    entry.method ?? (entry.http ? `${entry.http.method} ${entry.http.status ?? ""}`.trim() : entry.kind);
  return entry.name ? `${method} ${entry.name}` : method;
}

export function EntryRow({
  entry,
  withServer,
}: {
  readonly entry: WireEntry | undefined;
  readonly withServer: boolean;
}) {
  if (!entry) return <span class="entry faint">…</span>;
  const label = connectionOf(entry.connection)?.label ?? entry.connection;
  return (
    <span class={`entry ${entry.direction} of-${entry.kind}`}>
      <span class="entry-seq number faint">{entry.seq}</span>
      <span class="entry-time number faint">{toClock(entry.at)}</span>
      <span class="entry-arrow">
        {entry.direction === "sent" ? "→" : "←"}
        <span class="hidden-text">{entry.direction}</span>
      </span>
      <span class="entry-kind">{entry.kind}</span>
      {withServer && <span class="entry-server clip faint">{label}</span>}
      <span class="entry-title clip mono">{titleOf(entry)}</span>
      {entry.errorCode !== undefined && <span class="entry-code bad number">{entry.errorCode}</span>}
      {entry.warnings.length > 0 && (
        <span class="entry-warning warn" title={entry.warnings.map(({ message }) => message).join("\n")}>
          <Icon name="warning" />
          <span class="hidden-text">breaks the specification</span>
        </span>
      )}
      <span class="entry-ms number faint">{entry.ms === undefined ? "" : toDuration(entry.ms)}</span>
      <span class="entry-bytes number faint">{toBytes(entry.bytes)}</span>
    </span>
  );
}
