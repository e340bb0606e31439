import { passedNotifications } from "../bridge/changed-roots.ts";
import type { Call } from "../contract/call.ts";
import { toOwner } from "../contract/caller/principal.ts";
import type { Mount } from "../contract/mount/mount.ts";
import type { MountTasks } from "../contract/mount/mount-tasks.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import type { NotificationSender } from "../contract/service.ts";
import { RpcError } from "../errors.ts";
import { describeFailure } from "../host/call-failure.ts";
import type { HostTool } from "../host/catalog/host-tool.ts";
import type { HostServer } from "../host/server/managed-server.ts";
import { RecentMap } from "../lib/bounded/recent-map.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { ListName, Method } from "../protocol/method.ts";
import { methods } from "../protocol/method-table.ts";
import type { ServerCapabilities } from "../protocol/model/identity.ts";
import { invalidParams, WireCode } from "../protocol/wire-error.ts";
import { errorResult } from "../server/define/text-result.ts";
import { deriveCall } from "../server/derive-call.ts";
import { auditCall, cutName, type GatewayAuditEntry } from "./audit.ts";
import type { ServerRoute } from "./server-route.ts";
import type { ServerRoutes } from "./server-routes.ts";

export interface GatewayMountParts {
  readonly routes: ServerRoutes;
  readonly audit: ((entry: GatewayAuditEntry) => void) | undefined;
  /** The calls that are being sent, by their arguments. */
  readonly calls: WeakMap<object, Call>;
}

const maxLinks = 10_000;
const linkMs = 3_600_000;

/** All servers of a gateway as one mount. It knows which server each name and each URI belongs to. */
export class GatewayMount implements Mount {
  readonly name = "gateway";
  /** Everything is offered: nobody knows yet what servers have that are not started. */
  readonly capabilities: ServerCapabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
  };
  readonly #parts: GatewayMountParts;
  /** The servers that have linked to resources which no server lists, by caller and URI. */
  readonly #links = new RecentMap<string>(maxLinks);
  readonly #watched = new Map<string, ServerRoute | undefined>();

  constructor(parts: GatewayMountParts) {
    this.#parts = parts;
  }

  get tasks(): MountTasks {
    return this.#parts.routes.tasks;
  }

  request(call: Call): Promise<JsonObject> {
    const row = methods.get(call.method);
    if (row?.list) return this.#list(row.list.items, call);
    if (row?.runsTool) return this.#callTool(call);
    if (isObject(call.params.ref)) return this.#complete(call, call.params.ref);
    return typeof call.params.uri === "string" ? this.#read(call, call.params.uri) : this.#getPrompt(call);
  }

  setLogLevel(call: Call): Promise<void> {
    return this.#parts.routes.setLogLevel(call);
  }

  setSubscriptions(call: Call): Promise<void> {
    return this.#parts.routes.setSubscriptions(call);
  }

  customNotifications(): readonly Method[] {
    return passedNotifications();
  }

  notify(method: string, _params: JsonObject, sender: NotificationSender): Promise<void> {
    return this.#parts.routes.notify(method, sender);
  }

  async watch(uri: string): Promise<void> {
    if (!this.#watched.has(uri)) this.#watched.set(uri, undefined);
    const route = await this.#parts.routes.findResource(uri);
    // It may have been given up meanwhile.
    if (route === undefined || !this.#watched.has(uri)) return;
    this.#watched.set(uri, route);
    await route.watch(uri);
  }

  unwatch(uri: string): void {
    const route = this.#watched.get(uri);
    this.#watched.delete(uri);
    route?.unwatch(uri);
  }

  onChange(listener: (event: ServerEvent) => void): () => void {
    return this.#parts.routes.onChange(listener);
  }

  async #list(list: ListName, { signal }: Call): Promise<JsonObject> {
    const { routes } = this.#parts;
    if (list === "tools") return { tools: (await routes.tools(signal)).map(toListed) };
    return { [list]: (await routes.items(list)).map(({ item }) => item) };
  }

  async #callTool(call: Call): Promise<JsonObject> {
    const name = String(call.params.name);
    let server = "";
    try {
      return await auditCall(this.#parts.audit, call, async (found) => {
        const tool = await this.#parts.routes.findTool(name, call.signal);
        if (tool === undefined) {
          const held = this.#parts.routes.heldTool(name);
          if (held) throw held;
          const unlisted = this.#parts.routes.unlistedServer(name);
          if (unlisted === undefined)
            throw invalidParams(`Unknown tool: ${cutName(name)}${this.#parts.routes.didYouMean(name)}`);
          server = unlisted.name;
          found({ server });
          return answerUnlisted(unlisted);
        }
        server = tool.server;
        found({ server, tool: tool.tool.name });
        return await this.#send(tool, call);
      });
    } catch (error) {
      if (error instanceof RpcError || call.signal.aborted) throw error;
      // The model reads that a server is gone, as it reads the failures of tools.
      return errorResult(describeFailure(server, error as Error));
    }
  }

  async #send({ server, tool }: HostTool, call: Call): Promise<JsonObject> {
    // Consent finds the caller by the arguments, so each call has its own.
    const args = { ...(isObject(call.params.arguments) ? call.params.arguments : {}) };
    this.#parts.calls.set(args, call);
    const params = { ...call.params, name: tool.name, arguments: args };
    const result = await this.#parts.routes.to(server).request(deriveCall(call, { params }));
    this.#rememberLinks(call, server, result.content);
    return result;
  }

  #getPrompt(call: Call): Promise<JsonObject> {
    const name = String(call.params.name);
    return auditCall(this.#parts.audit, call, async (onFound) => {
      const found = await this.#parts.routes.findPrompt(name);
      if (found === undefined) throw invalidParams(`Unknown prompt: ${cutName(name)}`);
      onFound({ server: found.route.server.name });
      return this.#forward(found.route, call, { ...call.params, name: found.ownName });
    });
  }

  #read(call: Call, uri: string): Promise<JsonObject> {
    return auditCall(this.#parts.audit, call, async (onFound) => {
      const route = await this.#parts.routes.findResource(uri, this.#links.get(linkKey(call, uri)));
      if (route === undefined)
        throw new RpcError(WireCode.resourceNotFound, `Unknown resource: ${cutName(uri)}`);
      onFound({ server: route.server.name });
      return this.#forward(route, call, call.params);
    });
  }

  async #complete(call: Call, ref: JsonObject): Promise<JsonObject> {
    const { routes } = this.#parts;
    if (typeof ref.name === "string") {
      const found = await routes.findPrompt(ref.name);
      if (found === undefined) throw invalidParams(`Nothing to complete: ${cutName(ref.name)}`);
      return this.#forward(found.route, call, { ...call.params, ref: { ...ref, name: found.ownName } });
    }
    const uri = String(ref.uri);
    const route = await routes.findTemplate(uri);
    if (route === undefined) throw invalidParams(`Nothing to complete: ${cutName(uri)}`);
    return this.#forward(route, call, call.params);
  }

  async #forward(route: ServerRoute, call: Call, params: JsonObject): Promise<JsonObject> {
    try {
      return await route.request(deriveCall(call, { params }));
    } catch (error) {
      if (error instanceof RpcError || call.signal.aborted) throw error;
      throw new RpcError(WireCode.internal, describeFailure(route.server.name, error as Error), undefined, {
        cause: error,
      });
    }
  }

  /** Remembers resources that a result links to, for this caller. */
  #rememberLinks(call: Call, server: string, content: unknown): void {
    for (const block of Array.isArray(content) ? content : [])
      if (isObject(block) && block.type === "resource_link" && typeof block.uri === "string")
        this.#links.set(linkKey(call, block.uri), server, linkMs);
  }
}

function linkKey({ principal }: Call, uri: string): string {
  return `${toOwner(principal)} ${uri}`;
}

/** A tool under its name here. */
function toListed({ name, tool }: HostTool): JsonObject {
  return { ...tool, name };
}

/** Answers a call of a tool whose server can't list it now. Throws where the reason is an error. */
function answerUnlisted({ name, state, error }: HostServer): JsonObject {
  // It was refused to the gateway, and is not about this call.
  if (error instanceof RpcError) return errorResult(`The server "${name}" is not available.`);
  if (error) throw error;
  return errorResult(
    state === "disabled"
      ? `The server "${name}" is switched off.`
      : `The server "${name}" is starting. Try again later.`,
  );
}
