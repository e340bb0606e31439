import type { Call } from "../contract/call.ts";
import { joinTasks, type MountTasks } from "../contract/mount/mount-tasks.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import type { NotificationSender } from "../contract/service.ts";
import { UsageError } from "../errors.ts";
import type { HostTool } from "../host/catalog/host-tool.ts";
import { prefixOf, toToolName } from "../host/catalog/tool-names.ts";
import type { Host } from "../host/host.ts";
import type { HostServer } from "../host/server/managed-server.ts";
import type { JsonObject } from "../lib/json.ts";
import { didYouMean } from "../lib/text/did-you-mean.ts";
import type { UriTemplate } from "../protocol/uri-template/uri-template.ts";
import { cutName } from "./audit.ts";
import type { ItemList } from "./listed-items.ts";
import { ServerRoute, type ServerRouteParts } from "./server-route.ts";

/** An item of a list, with the server that it belongs to. */
export interface FoundItem {
  readonly route: ServerRoute;
  /** The item under its name in the gateway. */
  readonly item: JsonObject;
  /** Its name in its server. */
  readonly ownName: string;
}

export interface ServerRoutesParts extends Omit<ServerRouteParts, "server" | "onChange"> {
  readonly host: Host;
}

const defaultListMs = 5_000;
/** The tools that an unknown name is compared with. */
const maxCompared = 1_000;
/** A scheme of RFC 3986 that is written out, with no variable in it. */
const hasScheme = /^[a-z][a-z0-9+.-]*:/i;

/** The servers of a gateway, and the way from a name or a URI to its server. */
export class ServerRoutes {
  /** The tasks of all servers. */
  readonly tasks: MountTasks = joinTasks(() => [...this.#routes.values()].map(({ tasks }) => tasks));
  readonly #parts: ServerRoutesParts;
  readonly #routes = new Map<string, ServerRoute>();
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #templates = new WeakMap<JsonObject, UriTemplate | undefined>();
  readonly #stops: readonly (() => void)[];
  /** The last list. Once there is one, servers that are slower are not waited for again. */
  #listed: readonly HostTool[] | undefined;

  constructor(parts: ServerRoutesParts) {
    this.#parts = parts;
    this.#stops = [
      parts.host.onChange(() => this.#emit({ kind: "tools" })),
      parts.host.onState(({ name, state }) => {
        this.#dropEnded();
        if (state === "ready") this.#routes.get(name)?.renew();
      }),
    ];
  }

  /** The way to a server. Throws UsageError for one that the configuration no longer has. */
  to(name: string): ServerRoute {
    const { host } = this.#parts;
    const server = host.server(name);
    if (server === undefined) throw new UsageError(`The gateway has no server ${JSON.stringify(name)}.`);
    const known = this.#routes.get(name);
    if (known?.server === server) return known;
    const route = new ServerRoute({ ...this.#parts, server, onChange: (event) => this.#emit(event) });
    this.#routes.set(name, route);
    void known?.close();
    return route;
  }

  /** The tools of all servers that were listed in time. */
  async tools(signal?: AbortSignal): Promise<readonly HostTool[]> {
    const { host, options } = this.#parts;
    const waitMs = this.#listed ? 0 : (options.listMs ?? defaultListMs);
    const tools = await host.tools({ signal, waitMs });
    this.#listed = tools;
    return tools;
  }

  /** The tool of a name; settles as soon as its server has listed it, whatever the others do. */
  async findTool(name: string, signal: AbortSignal): Promise<HostTool | undefined> {
    const { host } = this.#parts;
    const known = host.find(name);
    if (known) return known;
    let stop = () => {};
    const listed = new Promise<void>((resolve) => {
      stop = host.onChange(() => void (host.find(name) && resolve()));
    });
    try {
      await Promise.race([this.tools(signal), listed]);
      return host.find(name);
    } finally {
      stop();
    }
  }

  /** The error of a tool that its pin holds back. */
  heldTool(name: string): Error | undefined {
    return this.#parts.host.findHeld(name);
  }

  /** The server whose prefix a name has, if it can't list its tools now. */
  unlistedServer(name: string): HostServer | undefined {
    const prefix = prefixOf(name);
    const server = this.#parts.host.servers.find((one) => one.prefix === prefix);
    return server && ["disabled", "held", "failed", "starting"].includes(server.state) ? server : undefined;
  }

  /** The hint at a listed tool that may have been meant; empty if there is none. */
  didYouMean(name: string): string {
    const listed = (this.#listed ?? []).slice(0, maxCompared).map((tool) => tool.name);
    return didYouMean(name, listed);
  }

  /** The items of all servers that list them in time, in the order of the configuration; the first has the name. */
  async items(list: ItemList): Promise<readonly FoundItem[]> {
    const owners = new Map<string, string>();
    return (await Promise.all(this.#itemsOfEach(list))).flat().filter(({ route, item }) => {
      const key = String(item.uri ?? item.uriTemplate ?? item.name);
      const owner = owners.get(key);
      if (owner === undefined) owners.set(key, route.server.name);
      else route.reportLeftOut(cutName(key), owner);
      return owner === undefined;
    });
  }

  async findPrompt(name: string): Promise<FoundItem | undefined> {
    const { host, options } = this.#parts;
    const prefix = prefixOf(name);
    const server = host.servers.find((one) => one.prefix === prefix && one.state !== "disabled");
    if (server === undefined) return undefined;
    const route = this.to(server.name);
    const items = await route.items("prompts", options.listMs ?? defaultListMs);
    const found = await Promise.all(items.map((item) => toFound(route, item, prefix)));
    return found.find(({ item }) => item.name === name);
  }

  /**
   * The server of a URI: the first that lists it, else the one that linked to it, else the first with a template that it
   * matches. Servers behind one that lists it are not waited for.
   */
  async findResource(uri: string, linkedBy?: string): Promise<ServerRoute | undefined> {
    const [resources, templates] = [this.#itemsOfEach("resources"), this.#itemsOfEach("resourceTemplates")];
    for (const items of resources) {
      const listed = (await items).find(({ item }) => item.uri === uri);
      if (listed) return listed.route;
    }
    if (linkedBy !== undefined && this.#parts.host.server(linkedBy)) return this.to(linkedBy);
    const { parseUriTemplate } = await import("../protocol/uri-template/uri-template.ts");
    for (const items of templates) {
      const matching = (await items).find(
        ({ item }) => this.#templateOf(item, parseUriTemplate)?.match(uri) !== undefined,
      );
      if (matching) return matching.route;
    }
    return undefined;
  }

  /** The server of a template, or of a resource that is named by its URI. */
  async findTemplate(uri: string): Promise<ServerRoute | undefined> {
    const templates = await this.items("resourceTemplates");
    return templates.find(({ item }) => item.uriTemplate === uri)?.route ?? this.findResource(uri);
  }

  /** Sets the level of a session at the servers that it uses. */
  async setLogLevel(call: Call): Promise<void> {
    await Promise.all([...this.#routes.values()].map((route) => route.setLogLevel(call)));
  }

  /** Subscribes for a session at the servers that it uses. */
  async setSubscriptions(call: Call): Promise<void> {
    await Promise.all([...this.#routes.values()].map((route) => route.setSubscriptions(call)));
  }

  /** Passes a notification of a client to the servers that it uses. */
  async notify(method: string, sender: NotificationSender): Promise<void> {
    await Promise.all([...this.#routes.values()].map((route) => route.notify(method, sender)));
  }

  /** Calls the listener with each event until the returned function is called. */
  onChange(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    const routes = [...this.#routes.values()];
    this.#routes.clear();
    await Promise.all(routes.map((route) => route.close()));
  }

  /** The items of each server, in the order of the configuration; none of the promises rejects. */
  #itemsOfEach(list: ItemList): readonly Promise<readonly FoundItem[]>[] {
    const { host, options } = this.#parts;
    const enabled = host.servers.filter(({ state }) => state !== "disabled");
    return enabled.map(async ({ name, prefix }) => {
      const route = this.to(name);
      const items = await route.items(list, options.listMs ?? defaultListMs);
      return Promise.all(items.map((item) => toFound(route, item, list === "prompts" ? prefix : undefined)));
    });
  }

  /**
   * The matcher of a template. One that can't be read matches nothing, nor does one without a scheme: it would take the
   * resources of every server.
   */
  #templateOf(item: JsonObject, parse: (template: string) => UriTemplate): UriTemplate | undefined {
    if (!this.#templates.has(item)) {
      let template: UriTemplate | undefined;
      try {
        template = hasScheme.test(String(item.uriTemplate)) ? parse(String(item.uriTemplate)) : undefined;
      } catch {
        template = undefined;
      }
      this.#templates.set(item, template);
    }
    return this.#templates.get(item);
  }

  /** Closes the connections to servers whose entries are gone or were replaced. */
  #dropEnded(): void {
    for (const [name, route] of this.#routes) {
      if (this.#parts.host.server(name) === route.server) continue;
      this.#routes.delete(name);
      void route.close();
      for (const kind of ["prompts", "resources"] as const) this.#emit({ kind });
    }
  }

  #emit(event: ServerEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

/** An item under its name in the gateway; resources keep their URIs, which are names of their own. */
async function toFound(route: ServerRoute, item: JsonObject, prefix: string | undefined): Promise<FoundItem> {
  const ownName = String(item.name);
  if (prefix === undefined) return { route, item, ownName };
  return { route, item: { ...item, name: await toToolName(prefix, ownName) }, ownName };
}
