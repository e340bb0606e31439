import { ResourceNotFoundError, RpcError } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { hasCapability } from "../../../protocol/model/identity.ts";
import { WireCode } from "../../../protocol/wire-error.ts";
import { mayUse } from "../../access.ts";
import { MountFailure } from "../../catalog/mount-failure.ts";
import { requestMounted } from "../../catalog/mounted-requests.ts";
import { CallContext, type ContextOptions } from "../../context/call-context.ts";
import { isInputRequired } from "../../define/input-required.ts";
import type { CompiledResource, CompiledTemplate, ResourceContext } from "../../define/resource.ts";
import { runHandlerWith } from "../../replay/run-handler.ts";
import type { MethodCall } from "../method-call.ts";
import { toReadResult } from "./read-result.ts";
import { matchTemplate } from "./template-match.ts";

export async function readResource(request: MethodCall): Promise<JsonObject> {
  const uri = request.call.params.uri as string;
  const found = await findResource(request, uri);
  const result = await (found ? readFound(request, uri, found) : readMounted(request, uri));
  // The cautious default: no cache keeps it, and no other user sees it. An unfinished result is not for caches.
  // server/utilities/caching#cache-scope-field (2026-07-28)
  return isInputRequired(result) ? result : { ttlMs: 0, cacheScope: "private", ...(result as JsonObject) };
}

async function readFound(request: MethodCall, uri: string, found: Found): Promise<JsonObject> {
  const { resource, variables } = found;
  const toContext = (earlier?: ContextOptions) => new ResourceCallContext(request, uri, earlier);
  const returned = await runHandlerWith(request, toContext, (ctx) => resource.run(variables, ctx));
  return toReadResult(resource, uri, returned);
}

interface Found {
  readonly resource: CompiledResource | CompiledTemplate;
  readonly variables: JsonObject;
}

/** Finds the resource of a URI: a fixed URI goes before templates, and an earlier template before a later one. */
async function findResource({ catalog, ctx }: MethodCall, uri: string): Promise<Found | undefined> {
  const fixed = catalog.resources.get(uri);
  if (fixed && (await mayUse(fixed.options, ctx))) return { resource: fixed, variables: {} };
  for (const { item } of catalog.templates.enabled()) {
    const variables = matchTemplate(item, uri);
    if (variables && (await mayUse(item.options, ctx))) return { resource: item, variables };
  }
  return undefined;
}

/** Reads a resource from the first mount that knows its URI. Mounted resources keep their URIs, because those are global names. */
async function readMounted({ catalog, call }: MethodCall, uri: string): Promise<JsonObject> {
  let unclear: RpcError | undefined;
  for (const mounted of catalog.mounts) {
    if (!hasCapability(mounted.mount.capabilities, "resources")) continue;
    try {
      return await requestMounted(mounted, call, call.params);
    } catch (error) {
      if (isNotFound(error)) continue;
      if (!mayBeNotFound(error)) throw error;
      unclear = error instanceof MountFailure ? error : (unclear ?? error);
    }
  }
  throw unclear ?? new ResourceNotFoundError(uri);
}

function isNotFound(error: unknown): boolean {
  if (error instanceof ResourceNotFoundError) return true;
  if (!(error instanceof RpcError)) return false;
  const { wireCode, data } = error;
  // A server that declares resources and can't read any has none.
  if (wireCode === WireCode.resourceNotFound || wireCode === WireCode.methodNotFound) return true;
  return isObject(data) && "uri" in data;
}

/** True for the code of any invalid params, which many servers send for an unknown URI too, and for a mount that is gone. */
function mayBeNotFound(error: unknown): error is RpcError {
  if (error instanceof MountFailure) return true;
  return error instanceof RpcError && error.wireCode === WireCode.invalidParams;
}

class ResourceCallContext extends CallContext implements ResourceContext {
  readonly uri: string;

  constructor({ call, catalog }: MethodCall, uri: string, earlier?: ContextOptions) {
    super(call, catalog.settings.logLevel, earlier);
    this.uri = uri;
  }
}
