import { useEffect, useState } from "preact/hooks";
import type { WireEntry, WireFilter } from "../../../src/inspector/messages/wire.ts";
import { Empty } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { request } from "../state/link.ts";
import { route, setQuery } from "../state/route.ts";
import { connectionOf, connections, wireTotals } from "../state/session.ts";
import { EntryDetail } from "./entry-detail.tsx";
import { EntryRow } from "./entry-row.tsx";
import { isEmpty, noFilter, toFilter } from "./filter.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { PagedList } from "./paged-list.ts";
import { Lifelines, laneOf, SequenceRow } from "./sequence-row.tsx";
import { Waterfall } from "./waterfall.tsx";
import { useEntries } from "./wire-lists.ts";

type Look = "list" | "sequence" | "waterfall";
/** Servers that get a lane of their own in the diagram. */
const maxLanes = 6;

/** Every message of both directions, as a list, a sequence diagram or a waterfall. */
export function WirePage() {
  const { query } = route.value;
  const filter = toFilter(query);
  const entries = useEntries(filter);
  const look = (query.get("view") ?? "list") as Look;
  const message = Number(query.get("message")) || undefined;
  const choose = (seq: number) => setQuery({ message: String(seq) });
  return (
    <div class="wire">
      <header class="wire-head">
        <div class="row wraps">
          <h1>Wire</h1>
          <Tabs
            label="View of the wire"
            tabs={[
              { name: "list", title: "List" },
              { name: "sequence", title: "Sequence" },
              { name: "waterfall", title: "Waterfall" },
            ]}
            chosen={look}
            onChoose={(view) => setQuery({ view: view === "list" ? undefined : view })}
          />
          <FilterBar filter={filter} entries={entries} />
        </div>
      </header>
      <div class={`split wide${message ? " has-detail" : ""}`}>
        {look === "waterfall" ? (
          <Waterfall filter={filter} chosen={message} onChoose={choose} />
        ) : (
          <Messages look={look} entries={entries} filter={filter} chosen={message} onChoose={choose} />
        )}
        <div class="split-detail">
          {message ? (
            <>
              <button type="button" class="back" onClick={() => setQuery({ message: undefined })}>
                ← All messages
              </button>
              <EntryDetail key={message} seq={message} />
            </>
          ) : (
            <Empty title="Choose a message">
              Its text, the HTTP around it, and what it breaks appear here.
            </Empty>
          )}
        </div>
      </div>
    </div>
  );
}

interface MessagesProps {
  readonly look: "list" | "sequence";
  readonly entries: PagedList<WireEntry>;
  readonly filter: WireFilter;
  readonly chosen: number | undefined;
  readonly onChoose: (seq: number) => void;
}

function Messages({ look, entries, filter, chosen, onChoose }: MessagesProps) {
  const place = usePlace(entries, filter, chosen);
  entries.version.value;
  const count = entries.count.value;
  if (count === 0)
    return (
      <div class="wire-list">
        <NothingFound filter={filter} />
      </div>
    );
  const choose = (at: number) => {
    const entry = entries.at(at);
    if (entry) onChoose(entry.seq);
  };
  const common = {
    label: "Messages",
    count,
    chosen: place,
    followsEnd: chosen === undefined,
    onChoose: choose,
  };
  if (look === "list")
    return (
      <div class="wire-list">
        <VirtualList
          {...common}
          rowRem={1.75}
          row={(at) => <EntryRow entry={entries.at(at)} withServer={connections.value.length > 1} />}
        />
      </div>
    );
  const lanes = (filter.connections ?? connections.value.map(({ id }) => id)).slice(-maxLanes);
  return (
    <div class="wire-list sequence">
      <LaneHeads lanes={lanes} />
      <VirtualList
        {...common}
        rowRem={2.1}
        backdrop={(first, last) => <Lifelines lanes={lanes} entries={entriesOf(entries, first, last)} />}
        row={(at) => <SequenceRow entry={entries.at(at)} lanes={lanes} />}
      />
    </div>
  );
}

function NothingFound({ filter }: { readonly filter: WireFilter }) {
  if (isEmpty(filter) || wireTotals.value.count === 0)
    return <Empty title="Nothing was said yet">Connect to a server, and its messages appear here.</Empty>;
  const { hasWarnings, connections: _, ...others } = filter;
  const isSound = hasWarnings && Object.keys(others).length === 0;
  return (
    <Empty title={isSound ? "No message breaks the specification" : "Nothing matches"}>
      <Button onPress={() => setQuery(noFilter)}>Take out all filters</Button>
    </Empty>
  );
}

function entriesOf(entries: PagedList<WireEntry>, first: number, last: number) {
  return Array.from({ length: last - first }, (_, at) => entries.at(first + at));
}

function LaneHeads({ lanes }: { readonly lanes: readonly string[] }) {
  return (
    <div class="lanes tiny" aria-hidden="true">
      <div class="lane-space">
        {["client", ...lanes.map((id) => connectionOf(id)?.label ?? id)].map((label, at) => (
          <span
            key={at}
            class="lane clip"
            style={{ left: `${laneOf(at, lanes.length)}%`, maxWidth: `${84 / Math.max(1, lanes.length)}%` }}
          >
            {label}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The place of the chosen message among those that match; -1 if it is not among them. */
function usePlace(entries: PagedList<WireEntry>, filter: WireFilter, chosen: number | undefined): number {
  const [place, setPlace] = useState(-1);
  const key = JSON.stringify(filter);
  useEffect(() => {
    if (chosen === undefined) return setPlace(-1);
    let isCurrent = true;
    request("find-wire", { filter, seq: chosen }).then(
      ({ index, isMatch }) => isCurrent && setPlace(isMatch ? index : -1),
      () => isCurrent && setPlace(-1),
    );
    return () => {
      isCurrent = false;
    };
  }, [entries, key, chosen]);
  return place;
}
