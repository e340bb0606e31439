import type { Call } from "../../contract/call.ts";
import { InvalidOutputError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/async/maybe-promise.ts";
import type { JsonObject, JsonText } from "../../lib/json.ts";
import { listOf } from "../../protocol/check/check.ts";
import { checkResource } from "../../protocol/check/model-check.ts";
import type { ListName, Method } from "../../protocol/method.ts";
import { invalidParams, methodNotFound } from "../../protocol/wire-error.ts";
import { type AccessOptions, isVisible } from "../access.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ListedItem } from "../catalog/mounted-requests.ts";
import type { RegistryEntry } from "../catalog/registry.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { MethodCall } from "./method-call.ts";

/**
 * Answers a list method with one page of the items that this caller may see.
 *
 * server/utilities/pagination#response-format (2025-11-25)
 */
export async function listItems(request: MethodCall, row: Method): Promise<JsonObject> {
  const { list, name } = row;
  if (list === undefined) throw methodNotFound(name);
  const { catalog, call } = request;
  const after = readCursor(call.params.cursor, list.items);
  const hasMounts = catalog.mounts.length > 0;
  // The names of all own items decide which mounted ones are left out.
  const own = await visibleItems(request, list.items, hasMounts ? undefined : { after });
  const mounted = hasMounts ? await mountedItems(request, row, own) : undefined;
  const items = [...own, ...(mounted?.items ?? [])];
  items.sort((a, b) => comparePositions(a.position, b.position));
  return {
    ...page(list.items, items, after, catalog.settings.pageSize),
    // A list that lacks the items of a mount may be complete a moment later.
    ttlMs: mounted?.isPartial ? 0 : catalog.settings.listTtlMs,
    cacheScope: isUniform(catalog, list.items) ? "public" : "private",
  };
}

/** The items of the mounts that answer, without those whose name or URI is taken: calls reach the first. */
async function mountedItems(
  { catalog, call }: MethodCall,
  row: Method,
  own: readonly ListedItem[],
): Promise<{ readonly items: readonly ListedItem[]; readonly isPartial: boolean }> {
  const { listMounted } = await import("../catalog/mounted-requests.ts");
  const lists = await Promise.all(catalog.mounts.map((mounted) => listMounted(mounted, call, row)));
  const taken = new Set(own.map(({ item }) => keyOf(item)));
  const items = catalog.mounts.flatMap(({ report, label }, index) =>
    (lists[index] ?? []).filter(({ item }) => {
      const key = keyOf(item);
      const isFirst = !taken.has(key);
      taken.add(key);
      if (!isFirst)
        report(`${String(key)} of the server "${label}" is left out: the name is taken`, undefined);
      return isFirst;
    }),
  );
  return { items, isPartial: lists.includes(undefined) };
}

function keyOf({ uri, uriTemplate, name }: JsonObject): unknown {
  return uri ?? uriTemplate ?? name;
}

/** True if every caller sees the same list. server/utilities/caching#choosing-a-cache-scope (2026-07-28) */
function isUniform(catalog: Catalog, list: ListName): boolean {
  if (catalog.mounts.length > 0 || catalog.middlewares.length > 0) return false;
  return catalog.cached(`uniform ${list}`, () => {
    if (entriesOf(catalog, list).some(({ item: { options } }) => options.enabled || options.access))
      return false;
    return list !== "resources" || !catalog.templates.enabled().some(({ item }) => item.options.list);
  });
}

/**
 * The encoded page of a list, cached for each revision until something changes; given at once when it is there.
 * Undefined where callers may see different pages.
 */
export function cachedPage(
  catalog: Catalog,
  row: Method,
  call: Call,
  encodePage: () => Promise<JsonText>,
): MaybePromise<JsonText> | undefined {
  if (!isSharedPage(catalog, row, call)) return undefined;
  const { method, revision, params } = call;
  const key = `${method} ${revision.version} ${params.cursor ?? ""}`;
  const cached = catalog.cached<{ page?: MaybePromise<JsonText> }>(key, () => ({}));
  cached.page ??= encodePage().then((page) => {
    cached.page = page;
    return page;
  });
  return cached.page;
}

/**
 * True for a page that is the same for every caller and begins where another ends.
 *
 * Such pages can be cached: a stranger's cursors, of which there are many, add none.
 */
function isSharedPage(catalog: Catalog, { list }: Method, { params: { cursor } }: Call): boolean {
  if (list === undefined || !isUniform(catalog, list.items)) return false;
  if (cursor === undefined) return true;
  const after = typeof cursor === "string" ? decodeCursor(list.items, cursor) : undefined;
  if (after === undefined || after.length !== 1) return false;
  const entries = entriesOf(catalog, list.items);
  const start = startAfter(entries, after);
  return start % catalog.settings.pageSize === 0 && entries[start - 1]?.position === after[0];
}

interface Listable {
  readonly listed: object;
  readonly options: AccessOptions;
}

function entriesOf(catalog: Catalog, list: ListName): readonly RegistryEntry<Listable>[] {
  return (list === "resourceTemplates" ? catalog.templates : catalog[list]).enabled();
}

/** The items of a list that the caller may see; for one page, only as many as it needs to know whether more follow. */
async function visibleItems(
  request: MethodCall,
  list: ListName,
  page?: { readonly after: readonly number[] | undefined },
): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  const entries = entriesOf(request.catalog, list);
  const limit = page ? request.catalog.settings.pageSize + 1 : Number.POSITIVE_INFINITY;
  for (let at = page?.after ? startAfter(entries, page.after) : 0; at < entries.length; at++) {
    const { item, position } = entries[at] as RegistryEntry<Listable>;
    const visible = isVisible(item.options, request.ctx);
    if (visible === false || (visible !== true && !(await visible))) continue;
    items.push({ position: [position], item: item.listed as JsonObject });
    if (items.length === limit) break;
  }
  if (list === "resources") items.push(...(await listedByTemplates(request)));
  return items;
}

/** The index of the first entry after a position. */
function startAfter(entries: readonly RegistryEntry<unknown>[], after: readonly number[]): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const position = entries[middle]?.position ?? 0;
    if (comparePositions([position], after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The resources that templates list as their own. */
async function listedByTemplates({ catalog, ctx }: MethodCall): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  for (const { item, position } of catalog.templates.enabled()) {
    if (!item.options.list || !(await isVisible(item.options, ctx))) continue;
    const resources: unknown = await item.options.list(ctx);
    assertResources(item.listed.uriTemplate, resources);
    resources.forEach((resource, index) => {
      items.push({ position: [position, index], item: resource });
    });
  }
  return items;
}

const checkResources = listOf(checkResource);

/** Throws InvalidOutputError for resources that clients would leave out. */
function assertResources(template: string, listed: unknown): asserts listed is readonly JsonObject[] {
  const problem = checkResources(listed);
  if (problem === undefined) return;
  throw new InvalidOutputError(`The list of "${template}" can't be sent: resources${problem}.`);
}

function page(
  key: ListName,
  items: readonly ListedItem[],
  after: readonly number[] | undefined,
  pageSize: number,
): JsonObject {
  const start = after ? items.findIndex(({ position }) => comparePositions(position, after) > 0) : 0;
  const rest = start < 0 ? [] : items.slice(start);
  const shown = rest.slice(0, pageSize);
  const last = shown.at(-1);
  const more = last !== undefined && rest.length > shown.length;
  return {
    [key]: shown.map(({ item }) => item),
    ...(more && { nextCursor: encodeCursor(key, last.position) }),
  };
}

function readCursor(cursor: unknown, key: string): readonly number[] | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const position = decodeCursor(key, String(cursor));
  if (position === undefined) throw invalidParams("Unknown cursor; start again without one.");
  return position;
}

function comparePositions(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? -1) - (b[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
