import { InvalidOutputError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { listOf } from "../../protocol/check.ts";
import type { ListName, Method } from "../../protocol/method.ts";
import { checkResource } from "../../protocol/model-check.ts";
import { invalidParams, methodNotFound } from "../../protocol/wire-error.ts";
import { type AccessOptions, isVisible } from "../access.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type ListedItem, listMounted } from "../catalog/mounts.ts";
import type { RegistryEntry } from "../catalog/registry.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { MethodCall } from "./method-call.ts";

/** Answers a list method with one page of the items that this caller may see. */
export async function listItems(request: MethodCall, row: Method): Promise<JsonObject> {
  const { list, name } = row;
  if (list === undefined) throw methodNotFound(name);
  const own = await visibleItems(request, list.items);
  const { catalog } = request;
  const mounted = catalog.mounts.length > 0 ? await mountedItems(request, row, own) : undefined;
  const items = [...own, ...(mounted?.items ?? [])];
  items.sort((a, b) => comparePositions(a.position, b.position));
  return {
    ...page(request, list.items, items),
    // What lacks the items of a mount may be complete a moment later.
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

/** True if every caller sees the same list. */
export function isUniform(catalog: Catalog, list: ListName): boolean {
  if (catalog.mounts.length > 0 || catalog.middlewares.length > 0) return false;
  if (entriesOf(catalog, list).some(({ item: { options } }) => options.enabled || options.access))
    return false;
  return list !== "resources" || !catalog.templates.enabled().some(({ item }) => item.options.list);
}

interface Listable {
  readonly listed: object;
  readonly options: AccessOptions;
}

function entriesOf(catalog: Catalog, list: ListName): readonly RegistryEntry<Listable>[] {
  return (list === "resourceTemplates" ? catalog.templates : catalog[list]).enabled();
}

async function visibleItems(request: MethodCall, list: ListName): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  for (const { item, position } of entriesOf(request.catalog, list)) {
    if (await isVisible(item.options, request.ctx)) {
      items.push({ position: [position], item: item.listed as JsonObject });
    }
  }
  if (list === "resources") items.push(...(await listedByTemplates(request)));
  return items;
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

function page({ catalog, call }: MethodCall, key: ListName, items: readonly ListedItem[]): JsonObject {
  const after = readCursor(call.params.cursor, key);
  const start = after ? items.findIndex(({ position }) => comparePositions(position, after) > 0) : 0;
  const rest = start < 0 ? [] : items.slice(start);
  const shown = rest.slice(0, catalog.settings.pageSize);
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
