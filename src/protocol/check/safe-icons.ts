import { isObject } from "../../lib/json.ts";

/** basic#icons (2025-11-25): `javascript:`, `file:` and others that a program may act on are refused. */
const safeSchemes: ReadonlySet<string> = new Set(["https:", "data:"]);

export function isSafeIcon(icon: unknown): boolean {
  if (!isObject(icon) || typeof icon.src !== "string" || !URL.canParse(icon.src)) return false;
  return safeSchemes.has(new URL(icon.src).protocol);
}

export function hasUnsafeIcons(item: unknown): boolean {
  if (!isObject(item) || item.icons === undefined) return false;
  return !Array.isArray(item.icons) || !item.icons.every(isSafeIcon);
}

/** The item without icons that a host must not load; the same object if it has none of them. */
export function withSafeIcons<Item>(item: Item): Item {
  if (!isObject(item) || !hasUnsafeIcons(item)) return item;
  const { icons, ...others } = item;
  return { ...others, icons: Array.isArray(icons) ? icons.filter(isSafeIcon) : [] } as unknown as Item;
}
