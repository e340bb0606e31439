import { findOptionProblem, type OptionKinds } from "../../lib/option-check.ts";
import type { WireFilter, WireRequests } from "../messages/wire.ts";
import { InspectorError } from "../session/failure.ts";
import type { Handlers } from "../session/handler.ts";
import { toEntry } from "./wire-record.ts";

/** The largest window. */
const maxCount = 2_000;

const filterKinds: OptionKinds<WireFilter> = {
  connections: "strings",
  direction: ["sent", "received"],
  kinds: "strings",
  methods: "strings",
  search: "string",
  hasWarnings: "boolean",
  between: "array",
};

export const wireHandlers: Handlers<keyof WireRequests> = {
  async "read-wire"({ filter = {}, from, count }, { session }) {
    assertWindow(filter, count);
    return {
      ...(await session.wireViews.readEntries(filter, from, count)),
      totals: session.wire.totals,
    };
  },

  "read-wire-entry"({ seq }, { session }) {
    const record = session.wire.find(seq);
    if (record === undefined)
      throw new InspectorError("not-found", `The entry ${seq} is gone: the history keeps the newest only.`);
    const { text, exchange } = record;
    return { entry: toEntry(record), text, ...(exchange && { http: exchange }) };
  },

  "read-calls"({ filter = {}, from, count }, { session }) {
    assertWindow(filter, count);
    return session.wireViews.readCalls(filter, from, count);
  },

  "find-wire"({ filter = {}, seq }, { session }) {
    assertWindow(filter, 0);
    return session.wireViews.findPlace(filter, seq);
  },

  "clear-wire"(_params, { session }) {
    session.wire.clear();
    return {};
  },
};

function assertWindow(filter: WireFilter, count: number): void {
  const problem =
    findOptionProblem("A filter", filter, filterKinds) ??
    (count > maxCount ? `A window has at most ${maxCount} entries.` : undefined);
  if (problem !== undefined) throw new InspectorError("invalid-request", problem);
}
