import { useRef } from "preact/hooks";
import type { WireEntry, WireFilter } from "../../../src/inspector/messages/wire.ts";
import { Button } from "../parts/button.tsx";
import { toCount } from "../parts/format.ts";
import { request } from "../state/link.ts";
import { route, setQuery } from "../state/route.ts";
import { connections, wireTotals } from "../state/session.ts";
import { isEmpty, kinds } from "./filter.ts";
import type { PagedList } from "./paged-list.ts";
import { useEntries } from "./wire-lists.ts";

/** The pause after a key before the search runs. */
const pauseMs = 200;

/** What of the wire is shown; all of it is in the address. */
export function FilterBar({ filter, entries }: CounterProps) {
  const { query } = route.value;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = (text: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery({ q: text || undefined }), pauseMs);
  };
  const clear = () => {
    request("clear-wire", {}).then(
      () => {
        wireTotals.value = { count: 0, first: 0, last: 0, bytes: 0, dropped: 0 };
        setQuery({ message: undefined, between: undefined, at: String(Date.now()) });
      },
      () => {
        // The bar at the bottom says that the server is out of reach.
      },
    );
  };
  const between = query.get("between");
  const { connections: chosen } = filter;
  const warned = useEntries({ hasWarnings: true, ...(chosen && { connections: chosen }) }).count.value;
  return (
    <div class="filters">
      <input
        type="search"
        aria-label="Search the wire"
        placeholder="Search the messages"
        defaultValue={query.get("q") ?? ""}
        onInput={(event) => search(event.currentTarget.value)}
      />
      <Select
        name="server"
        label="Server"
        all="all servers"
        options={connections.value.map(({ id, label }) => [id, label])}
      />
      <Select
        name="direction"
        label="Direction"
        all="both ways"
        options={[
          ["sent", "to the server"],
          ["received", "from the server"],
        ]}
      />
      <Select name="kind" label="Kind" all="all kinds" options={kinds.map((kind) => [kind, kind])} />
      <Button
        pressed={query.has("warnings")}
        icon="warning"
        onPress={() => setQuery({ warnings: query.has("warnings") ? undefined : "1" })}
      >
        Warnings {warned > 0 && <span class="number">{warned.toLocaleString("en")}</span>}
      </Button>
      {between && (
        <Button look="quiet" icon="close" onPress={() => setQuery({ between: undefined })}>
          {between}
        </Button>
      )}
      <span class="grow" />
      <Counter filter={filter} entries={entries} />
      <Button look="quiet" icon="trash" label="Clear the wire" onPress={clear} />
    </div>
  );
}

interface CounterProps {
  readonly filter: WireFilter;
  /** The messages that match. */
  readonly entries: PagedList<WireEntry>;
}

function Counter({ filter, entries }: CounterProps) {
  const all = toCount(wireTotals.value.count, "message");
  const matching = entries.count.value.toLocaleString("en");
  return (
    <span class="tiny faint number" role="status" aria-label="Messages that match">
      {isEmpty(filter) ? all : `${matching} of ${all}`}
    </span>
  );
}

interface SelectProps {
  readonly name: string;
  readonly label: string;
  readonly all: string;
  readonly options: readonly (readonly [value: string, title: string])[];
}

function Select({ name, label, all, options }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={route.value.query.get(name) ?? ""}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value || undefined })}
    >
      <option value="">{all}</option>
      {options.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}
