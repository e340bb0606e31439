import type { JsonObject } from "../../../lib/json.ts";
import type { State } from "../../../state/state.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { MountFailure } from "../../catalog/mount-failure.ts";
import { requestMounted } from "../../catalog/mounted-requests.ts";
import type { Mounted } from "../../catalog/mounts.ts";
import { errorResult } from "../../define/text-result.ts";
import type { MethodCall } from "../method-call.ts";

/** Calls a tool of a mount, by its name there. */
export async function callMountedTool(
  { catalog, call }: MethodCall,
  mounted: Mounted,
  name: string,
): Promise<JsonObject> {
  const state = call.state ?? (mounted.mount.sharesTasks ? await ownState(catalog) : undefined);
  try {
    return await requestMounted(mounted, call, { ...call.params, name }, { state });
  } catch (error) {
    // The model reads that a server is gone, as it reads the failures of tools here.
    if (error instanceof MountFailure) return errorResult(error.message);
    throw error;
  }
}

/** The state of the server that mounts, loaded with the first tool that may keep a task there. */
async function ownState({ settings }: Catalog): Promise<State> {
  const { stateFor } = await import("../../state-for.ts");
  return stateFor(settings, undefined);
}
