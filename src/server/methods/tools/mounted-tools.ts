import type { JsonObject } from "../../../lib/json.ts";
import { MountFailure } from "../../catalog/mount-failure.ts";
import { requestMounted } from "../../catalog/mounted-requests.ts";
import type { Mounted } from "../../catalog/mounts.ts";
import { errorResult } from "../../define/text-result.ts";
import { stateFor } from "../../state-for.ts";
import type { MethodCall } from "../method-call.ts";

/** Calls a tool of a mount, by its name there. */
export async function callMountedTool(
  { catalog, call }: MethodCall,
  mounted: Mounted,
  name: string,
): Promise<JsonObject> {
  const state = mounted.mount.sharesTasks ? stateFor(catalog.settings, call.state) : call.state;
  try {
    return await requestMounted(mounted, call, { ...call.params, name }, { state });
  } catch (error) {
    // The model reads that a server is gone, as it reads the failures of tools here.
    if (error instanceof MountFailure) return errorResult(error.message);
    throw error;
  }
}
