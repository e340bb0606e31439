import type { Call } from "../contract/call.ts";
import type { ResourceAccess } from "../contract/mount/mount.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Catalog } from "./catalog/catalog.ts";
import { CallContext } from "./context/call-context.ts";
import { answer, checked, findRow } from "./dispatch.ts";
import { rethrowAsRpcError } from "./errors/to-rpc-error.ts";
import { runMiddlewares } from "./middleware.ts";

/** Answers a call that comes through a mount, in the neutral model. Throws only RpcError. */
export async function answerMounted(catalog: Catalog, call: Call): Promise<JsonObject> {
  try {
    if (catalog.pending.ready !== undefined) await catalog.pending.ready;
    const row = findRow(catalog, call);
    return await checked(row, call, await answer(catalog, row, call));
  } catch (error) {
    return rethrowAsRpcError(error, call, catalog.settings.log);
  }
}

/**
 * Decides on updates of a resource for a call that comes through a mount, behind the middlewares. Throws only
 * RpcError. A middleware that answers by itself hides the resource.
 */
export async function accessMounted(catalog: Catalog, call: Call, uri: string): Promise<ResourceAccess> {
  const { accessTo } = await import("./methods/resources/resource-access.ts");
  let access: ResourceAccess = "hidden";
  const decide = async (current: Call) => {
    const ctx = new CallContext(current, catalog.settings.logLevel);
    access = await accessTo({ catalog, call: current, ctx }, uri);
    return {};
  };
  try {
    await runMiddlewares(catalog.middlewares, call, decide);
    return access;
  } catch (error) {
    return rethrowAsRpcError(error, call, catalog.settings.log);
  }
}
