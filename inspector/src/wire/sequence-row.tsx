import type { WireEntry } from "../../../src/inspector/messages/wire.ts";
import { toClock, toDuration } from "../parts/format.ts";
import { titleOf } from "./entry-row.tsx";

/** Where the lifelines stand, in percent of the width: the client first, then one server each. */
export function laneOf(at: number, servers: number): number {
  return 6 + (at * 86) / Math.max(1, servers);
}

interface SequenceRowProps {
  readonly entry: WireEntry | undefined;
  /** The connections that have a lane, in their order. */
  readonly lanes: readonly string[];
}

/** One arrow of the diagram. */
export function SequenceRow({ entry, lanes }: SequenceRowProps) {
  if (!entry) return <span class="faint tiny">…</span>;
  const lane = Math.max(0, lanes.indexOf(entry.connection)) + 1;
  const [client, server] = [laneOf(0, lanes.length), laneOf(lane, lanes.length)];
  const [from, to] = entry.direction === "sent" ? [client, server] : [server, client];
  const head = entry.direction === "sent" ? "M0 0l-8-4v8z" : "M0 0l8-4v8z";
  return (
    <span class={`arrow ${entry.direction} of-${entry.kind}`}>
      <svg aria-hidden="true">
        <line x1={`${from}%`} x2={`${to}%`} y1="78%" y2="78%" />
        <svg aria-hidden="true" x={`${to}%`} y="78%" overflow="visible">
          <path d={head} />
        </svg>
      </svg>
      <span class="arrow-time number tiny faint">{toClock(entry.at)}</span>
      <span
        class="arrow-label clip tiny"
        style={{ left: `${client + 1}%`, maxWidth: `${98 - client}%`, minWidth: `${server - client - 2}%` }}
      >
        <span class="hidden-text">
          {entry.direction === "sent" ? "client to server" : "server to client"}
        </span>
        <span class="mono">{titleOf(entry)}</span>
        {entry.rpcId !== undefined && <span class="faint"> #{String(entry.rpcId).slice(0, 12)}</span>}
        {entry.ms !== undefined && <span class="faint"> {toDuration(entry.ms)}</span>}
        {entry.warnings.length > 0 && <span class="warn"> ⚠</span>}
      </span>
    </span>
  );
}

interface LifelinesProps {
  readonly lanes: readonly string[];
  readonly entries: readonly (WireEntry | undefined)[];
}

/** The lifelines behind the rows in view, with a bar for each call that begins or ends among them. */
export function Lifelines({ lanes, entries }: LifelinesProps) {
  const rowOf = new Map(entries.flatMap((entry, at) => (entry ? [[entry.seq, at] as const] : [])));
  const height = (row: number) => `${(row * 100) / Math.max(1, entries.length)}%`;
  return (
    <svg class="lifelines" aria-hidden="true">
      {[0, ...lanes.map((_, at) => at + 1)].map((lane) => (
        <line
          key={lane}
          x1={`${laneOf(lane, lanes.length)}%`}
          x2={`${laneOf(lane, lanes.length)}%`}
          y1="0"
          y2="100%"
        />
      ))}
      {entries.map((entry, at) => {
        if (entry?.kind !== "request") return null;
        const end = entry.pair === undefined ? entries.length : (rowOf.get(entry.pair) ?? entries.length);
        const lane = entry.direction === "sent" ? Math.max(0, lanes.indexOf(entry.connection)) + 1 : 0;
        return (
          <svg key={entry.seq} aria-hidden="true" x={`${laneOf(lane, lanes.length)}%`} overflow="visible">
            <rect
              class={entry.direction}
              x="-3"
              width="6"
              y={height(at + 0.78)}
              height={height(Math.max(0.3, end - at))}
              rx="2"
            />
          </svg>
        );
      })}
    </svg>
  );
}
