import { UsageError } from "../errors.ts";
import type { AccessRule } from "./access.ts";

/**
 * Lets only those use an item whose token has all of these scopes.
 *
 * Everybody sees it in lists. Who lacks a scope is asked to come back with it, where the
 * transport has a way to ask; a caller without a token has none.
 */
export function scopes(...needed: readonly string[]): AccessRule {
  const wrong = needed.find((scope) => !/^[!#-[\]-~]+$/.test(scope));
  if (needed.length === 0 || wrong !== undefined)
    throw new UsageError(`scopes needs names without spaces, such as "orders:write".`);
  return ({ principal }) => needed.every((scope) => principal?.scopes?.includes(scope)) || { scopes: needed };
}
