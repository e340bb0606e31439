import { useEffect, useMemo } from "preact/hooks";
import type { CallSpan, WireEntry, WireFilter } from "../../../src/inspector/messages/wire.ts";
import { linkState, onEvent, request } from "../state/link.ts";
import { isEmpty } from "./filter.ts";
import { PagedList } from "./paged-list.ts";

/** The pause between two questions for the end of a filtered list that grows. */
const refreshMs = 500;

/** The entries of the wire that match, kept up to date. */
export function useEntries(filter: WireFilter): PagedList<WireEntry> {
  const key = JSON.stringify(filter);
  const list = useMemo(
    () =>
      new PagedList<WireEntry>(async (from, count) => {
        const { entries, matching } = await request("read-wire", { filter, from, count });
        return { items: entries, matching };
      }),
    [key],
  );
  useEffect(() => {
    const refresh = throttle(() => list.refresh());
    const stop = refreshWhenBack(list);
    const stopWire = onEvent("wire", ({ entries, totals }) => {
      pairUp(list, entries);
      if (isEmpty(filter) && totals.dropped === 0) list.append(entries, totals.count);
      else refresh();
    });
    return () => {
      stop();
      stopWire();
    };
  }, [list, key]);
  return list;
}

/** Requests came without their answer; the answer names its request. */
function pairUp(list: PagedList<WireEntry>, entries: readonly WireEntry[]): void {
  const answers = new Map(
    entries.flatMap((entry) => (entry.pair === undefined ? [] : [[entry.pair, entry.seq]])),
  );
  if (answers.size === 0) return;
  for (const held of list.held()) {
    const answer = answers.get(held.seq);
    if (answer !== undefined) Object.assign(held, { pair: answer });
  }
}

/** The calls that match, kept up to date. */
export function useCalls(filter: WireFilter): PagedList<CallSpan> {
  const key = JSON.stringify(filter);
  const list = useMemo(
    () =>
      new PagedList<CallSpan>(async (from, count) => {
        const { calls, matching } = await request("read-calls", { filter, from, count });
        return { items: calls, matching };
      }),
    [key],
  );
  useEffect(() => {
    const refresh = throttle(() => list.refresh());
    return onEvent("wire", refresh);
  }, [list]);
  return list;
}

/** Asks again once a lost server is back: events that it sent meanwhile are lost. */
function refreshWhenBack(list: PagedList<unknown>): () => void {
  let wasOpen = linkState.value === "open";
  return linkState.subscribe((state) => {
    if (state === "open" && !wasOpen) list.refresh();
    wasOpen = state === "open";
  });
}

function throttle(act: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      act();
    }, refreshMs);
  };
}
