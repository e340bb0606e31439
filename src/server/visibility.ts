import type { Context } from "./context.ts";

/** Who may see an item. */
export interface Visibility {
  /** Asked for each caller, for lists and calls alike: what is hidden is unknown. */
  readonly enabled?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
}

export function isVisible(item: Visibility, ctx: Context): boolean | Promise<boolean> {
  return item.enabled === undefined || item.enabled(ctx);
}
