import { mayUse } from "../access.ts";
import type { MethodCall } from "./method-call.ts";

/**
 * Whether a caller may hear of changes at a URI. Throws when only scopes are lacking.
 *
 * What is hidden from it never changes for it, as what does not exist.
 */
export async function maySubscribe({ catalog, ctx }: MethodCall, uri: string): Promise<boolean> {
  const fixed = catalog.resources.get(uri);
  const templates = catalog.templates.enabled().filter(({ item }) => item.template.match(uri) !== undefined);
  const known = [...(fixed ? [fixed] : []), ...templates.map(({ item }) => item)];
  for (const { options } of known) if (await mayUse(options, ctx)) return true;
  return known.length === 0;
}
