import { MissingScopesError } from "../contract/http-auth.ts";
import { UsageError } from "../errors.ts";
import type { Context } from "./context/context.ts";

/** `false` hides an item; scopes show it to a caller who needs them to use it. */
export type Access = boolean | { readonly scopes: readonly string[] };

/** Asked for each caller. */
export type AccessRule = (ctx: Context) => Access | Promise<Access>;

/** Who may see an item, and who may use it. */
export interface AccessOptions {
  /** Asked for each caller, for lists and calls alike: what is hidden is unknown. */
  readonly enabled?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
  /**
   * Who may use the item: `scopes("orders:write")`, or a function.
   *
   * Asked for lists and calls alike. Where it is false the item is unknown; where scopes are
   * lacking the caller sees it, and is asked to come back with them when it uses it.
   */
  readonly access?: AccessRule | undefined;
}

/** Whether a caller finds an item in lists. */
export function isVisible(item: AccessOptions, ctx: Context): boolean | Promise<boolean> {
  const { enabled, access } = item;
  if (access === undefined) return enabled === undefined || enabled(ctx);
  return isAllowed(item, ctx).then((granted) => granted !== false);
}

/** Whether a caller may use an item, which else is unknown to it. Throws when only scopes are lacking. */
export function mayUse(item: AccessOptions, ctx: Context): boolean | Promise<boolean> {
  if (item.access === undefined) return isVisible(item, ctx);
  return isAllowed(item, ctx).then((granted) => {
    if (typeof granted === "boolean") return granted;
    throw new MissingScopesError(granted.scopes);
  });
}

async function isAllowed({ enabled, access }: AccessOptions, ctx: Context): Promise<Access> {
  if (enabled && !(await enabled(ctx))) return false;
  return access === undefined || access(ctx);
}

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
