import type { ResourceAccess } from "../../../contract/mount/mount.ts";
import { mayUse } from "../../access.ts";
import { toMountedCall } from "../../catalog/mounted-requests.ts";
import type { MethodCall } from "../method-call.ts";
import { matchTemplate } from "./template-match.ts";

/**
 * Decides whether a caller may receive updates of a resource, by the rules on reading it. Throws when only
 * scopes are missing.
 */
export async function accessTo(request: MethodCall, uri: string): Promise<ResourceAccess> {
  const { catalog, ctx } = request;
  const fixed = catalog.resources.get(uri);
  const templates = catalog.templates.enabled().filter(({ item }) => matchTemplate(item, uri) !== undefined);
  const known = [...(fixed ? [fixed] : []), ...templates.map(({ item }) => item)];
  for (const { options } of known) if (await mayUse(options, ctx)) return "usable";
  const mounted = await accessInMounts(request, uri);
  return mounted === "unknown" && known.length > 0 ? "hidden" : mounted;
}

async function accessInMounts({ catalog, call }: MethodCall, uri: string): Promise<ResourceAccess> {
  let access: ResourceAccess = "unknown";
  for (const mounted of catalog.mounts) {
    const derived = toMountedCall(mounted, call, { params: call.params });
    const found = await mounted.mount.accessTo?.(derived, uri);
    if (found === "usable") return found;
    if (found === "hidden") access = found;
  }
  return access;
}
