import type { RequestOptions } from "../../contract/channel.ts";
import type { Timeout } from "../../contract/deadline.ts";
import { InvalidResponseError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { TimeBudget } from "../time-budget.ts";
import { assertListSize } from "./list-limits.ts";
import type { RefusedList } from "./refused-page.ts";

const maxPages = 1_000;

export interface PagedRequest extends RefusedList {
  /** Limits of the whole list; the total counts the time in which pages are waited for. */
  readonly timeout: Timeout;
  send(params: JsonObject, options: Pick<RequestOptions, "timeout" | "onSize">): Promise<JsonObject>;
}

export interface Page {
  readonly result: JsonObject;
  readonly isLast: boolean;
}

/**
 * Reads a list page by page: the one way for all lists.
 *
 * A list has limits in pages, items, characters and time. A cursor that comes twice ends it, since
 * it would never end otherwise; the page that it came with is left out if it only repeats the one before, as that of
 * a server that reads no cursors does. An empty cursor is a cursor.
 *
 * server/utilities/pagination#implementation-guidelines (2026-07-28)
 */
export async function* readPages(request: PagedRequest): AsyncGenerator<Page> {
  const time = new TimeBudget(request.method, request.timeout);
  const size = { items: 0, chars: 0 };
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let items: unknown;
  do {
    const params: JsonObject = cursor === undefined ? {} : { cursor };
    const onSize = (chars: number) => {
      size.chars += chars;
    };
    const result = await time.spend((timeout) => requestPage(request, params, { timeout, onSize }));
    const before = items;
    items = result[request.key];
    // Before anything of it is looked at.
    if (Array.isArray(items)) size.items += items.length;
    assertListSize(request.method, size);
    const repeats = cursor !== undefined && result.nextCursor === cursor && isSame(items, before);
    cursor = readCursor(request, result, cursors);
    yield { result: repeats ? { ...result, [request.key]: [] } : result, isLast: cursor === undefined };
  } while (cursor !== undefined);
}

function isSame(items: unknown, others: unknown): boolean {
  return JSON.stringify(items) === JSON.stringify(others);
}

/** One page, or what is usable of it. */
async function requestPage(
  request: PagedRequest,
  params: JsonObject,
  options: Pick<RequestOptions, "timeout" | "onSize">,
): Promise<JsonObject> {
  try {
    return await request.send(params, options);
  } catch (error) {
    // Loaded on demand: hardly any list is refused.
    const { readRefusedPage } = await import("./refused-page.ts");
    return readRefusedPage(request, error, options.onSize);
  }
}

/** The cursor of the next page; undefined at the end. */
function readCursor(
  { method, onFault }: PagedRequest,
  { nextCursor: cursor }: JsonObject,
  seen: Set<string>,
): string | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor !== "string")
    throw new InvalidResponseError(`${method} has a nextCursor that is not a string.`);
  if (seen.has(cursor)) {
    onFault(new InvalidResponseError(`${method} repeats a cursor and would never end; it was ended there.`));
    return undefined;
  }
  seen.add(cursor);
  if (seen.size >= maxPages) throw new InvalidResponseError(`${method} has more than ${maxPages} pages.`);
  return cursor;
}
