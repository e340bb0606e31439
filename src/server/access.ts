import { MissingScopesError } from "../contract/http-auth.ts";
import { UsageError } from "../errors.ts";
import type { OptionKinds } from "../lib/option-check.ts";
import type { Context } from "./context/context.ts";

/** The decision on one caller: `false` hides the item; missing `scopes` leave it visible and refuse its use. */
export type Access = boolean | { readonly scopes: readonly string[] };

/** A function that decides for each caller. */
export type AccessRule = (ctx: Context) => Access | Promise<Access>;

/** The rules on which callers may see and use an item. */
export interface AccessOptions {
  /** Decides for each caller, in lists and calls: a hidden item is answered like one that does not exist. */
  readonly enabled?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
  /**
   * The rule on use: `scopes("orders:write")`, or a function.
   *
   * It decides in lists and calls. If it returns `false`, the item is answered like one that does not
   * exist. If scopes are missing, the caller sees the item and is asked for those scopes when it uses it.
   */
  readonly access?: AccessRule | undefined;
}

export const accessOptionKinds: OptionKinds<AccessOptions> = { enabled: "function", access: "function" };

/** Decides whether a caller finds an item in lists. */
export function isVisible(item: AccessOptions, ctx: Context): boolean | Promise<boolean> {
  const { enabled, access } = item;
  if (access === undefined) return enabled === undefined || enabled(ctx);
  return isAllowed(item, ctx).then((granted) => granted !== false);
}

/** Decides whether a caller may use an item. Throws MissingScopesError when only scopes are missing. */
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
 * The access rule that requires all of these scopes in the caller's token.
 *
 * Every caller sees the item in lists. A caller without a scope is asked for it where the transport
 * can ask (over HTTP). A caller without a token has no scopes.
 */
export function scopes(...needed: readonly string[]): AccessRule {
  const wrong = needed.find((scope) => typeof scope !== "string" || !/^[!#-[\]-~]+$/.test(scope));
  if (needed.length === 0 || wrong !== undefined)
    throw new UsageError(`scopes needs names without spaces, such as "orders:write".`);
  return ({ principal }) => needed.every((scope) => principal?.scopes?.includes(scope)) || { scopes: needed };
}
