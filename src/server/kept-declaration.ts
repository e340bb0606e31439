import type { JsonObject } from "../lib/json.ts";
import { isSafeIcon } from "../protocol/check/safe-icons.ts";
import type { ClientCapabilities, ClientDeclaration, Implementation } from "../protocol/model/identity.ts";

/** The longest text that is kept of each member. */
const maxLengths: { readonly [member in keyof Implementation]?: number } = {
  name: 256,
  version: 256,
  title: 256,
  description: 1_024,
  websiteUrl: 2_048,
};
const maxIcons = 8;
const maxIconLength = 2_048;

/**
 * The description that a client gives of itself, as it is kept with its session: the members that the
 * specification has, cut to a length. It may lie in memory for as long as the session lives.
 */
export function toKeptDeclaration(info: JsonObject, capabilities: ClientCapabilities): ClientDeclaration {
  const kept: { [member: string]: unknown } = {};
  for (const [member, length] of Object.entries(maxLengths)) {
    const text = info[member];
    if (typeof text === "string") kept[member] = text.slice(0, length);
  }
  const icons = Array.isArray(info.icons) ? info.icons.filter(isShortIcon).slice(0, maxIcons) : [];
  if (icons.length > 0) kept.icons = icons;
  // A copy: the part of a text that was cut keeps the whole text in memory.
  return JSON.parse(JSON.stringify({ info: kept, capabilities })) as ClientDeclaration;
}

function isShortIcon(icon: unknown): boolean {
  return isSafeIcon(icon) && JSON.stringify(icon).length <= maxIconLength;
}
