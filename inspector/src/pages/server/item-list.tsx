import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { toPrintableLine } from "../../../../src/lib/text/printable.ts";
import { Note } from "../../parts/badge.tsx";
import { toCount } from "../../parts/format.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";

export interface ListItem {
  readonly id: string;
  readonly title: string;
  readonly subtitle: string;
  readonly mark?: ComponentChildren;
}

interface ItemListProps {
  readonly label: string;
  readonly items: readonly ListItem[];
  readonly chosen: string | undefined;
  readonly problems?: readonly string[];
  readonly onChoose: (id: string) => void;
}

/** The things that a server offers, with a search; any number of them. */
export function ItemList({ label, items, chosen, problems = [], onChoose }: ItemListProps) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter(({ title, subtitle, id }) => {
    const text = `${id} ${title} ${subtitle}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <div class="item-list">
      <div class="item-search">
        <input
          type="search"
          placeholder={`Search ${label.toLowerCase()} (${items.length.toLocaleString("en")})`}
          aria-label={`Search ${label.toLowerCase()}`}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        {words.length > 0 && (
          <span class="tiny faint number" role="status">
            {found.length.toLocaleString("en")} of {items.length.toLocaleString("en")}
          </span>
        )}
      </div>
      {problems.length > 0 && (
        <Note tone="warn">
          <details>
            <summary>{toCount(problems.length, "problem")} with this list</summary>
            <ul class="bullets small">
              {problems.slice(0, 100).map((problem) => (
                <li key={problem} class="wrap">
                  {problem}
                </li>
              ))}
            </ul>
          </details>
        </Note>
      )}
      <VirtualList
        label={label}
        count={found.length}
        rowRem={2.9}
        chosen={found.findIndex(({ id }) => id === chosen)}
        onChoose={(at) => found[at] && onChoose(found[at].id)}
        row={(at) => found[at] && <ItemRow item={found[at]} />}
      />
    </div>
  );
}

function ItemRow({ item }: { readonly item: ListItem }) {
  return (
    <span class="item-row">
      <span class="row">
        <span class="clip grow item-title">{toPrintableLine(item.title)}</span>
        {item.mark}
      </span>
      <span class="clip tiny faint">{toPrintableLine(item.subtitle, 500)}</span>
    </span>
  );
}
