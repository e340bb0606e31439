import { randomBytes } from "node:crypto";
import type { Server } from "allspeak";
import type { Servable } from "allspeak/client";
import type { Call } from "../../contract/call.ts";
import type { ServerEvent } from "../../contract/server-event.ts";
import type { NotificationOrigin, Service } from "../../contract/service.ts";
import type { JsonObject } from "../../lib/json.ts";
import { deriveCall } from "../../server/derive-call.ts";

const lists = ["tools", "resources", "prompts"] as const;

/**
 * A server value whose inside can be replaced while it is served.
 *
 * Connections and sessions go on. Calls that run finish in the code that they began in; later ones meet the new
 * code. Clients are notified that all lists have changed.
 */
export class LiveServer implements Servable {
  readonly #service: LiveService;
  /** Values that were served before, and may still have listeners. */
  readonly #replaced: Servable[] = [];
  #current: Servable;

  constructor(first: Servable) {
    this.#current = first;
    this.#service = new LiveService(first["~service"]());
    this.#service.onChange((event) => {
      for (const server of this.#replaced) passOn(server, event);
    });
  }

  /** Serves another value from now on, once it is ready. Rejects, and changes nothing, if it can't be served. */
  async replace(next: Servable): Promise<void> {
    const service = next["~service"]();
    await service.ready;
    this.#replaced.push(this.#current);
    this.#current = next;
    this.#service.replace(service);
  }

  "~service"(): Service {
    return this.#service;
  }
}

/**
 * Announces a change to those who listen to a value that was replaced: where listening is a call that lasts, it stays
 * in the code that it began in.
 */
function passOn(server: Servable, event: ServerEvent): void {
  if (!isServer(server)) return;
  const name = "allspeak-reloaded";
  if (event.kind === "resource") void server.resources.updated(event.uri);
  // An item that comes and goes: nobody asks this value for its lists any more.
  if (event.kind === "tools") server.tool(name, {}, () => "").remove();
  if (event.kind === "prompts") server.prompt(name, {}, () => "").remove();
  if (event.kind === "resources") server.resource(`${name}:`, { name }, () => "").remove();
}

function isServer(server: Servable): server is Server {
  return "tool" in server && "prompt" in server && "resource" in server && "resources" in server;
}

class LiveService implements Service {
  #current: Service;
  #stopListening: () => void;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  /** Seals what clients carry between rounds, so that the new code reads what the old code sealed. */
  readonly #secrets = [randomBytes(32).toString("base64")];

  constructor(first: Service) {
    this.#current = first;
    this.#stopListening = first.onChange((event) => this.#emit(event));
  }

  replace(next: Service): void {
    this.#stopListening();
    this.#current = next;
    this.#stopListening = next.onChange((event) => this.#emit(event));
    for (const kind of lists) this.#emit({ kind });
  }

  get name(): string {
    return this.#current.name;
  }
  get supported(): Service["supported"] {
    return this.#current.supported;
  }
  get ready(): Promise<void> | undefined {
    return this.#current.ready;
  }

  handle(call: Call): ReturnType<Service["handle"]> {
    return this.#current.handle(deriveCall(call, { params: call.params, secrets: this.#secrets }));
  }

  listensTo(method: string): boolean {
    return this.#current.listensTo(method);
  }

  notify(method: string, params: JsonObject, origin: NotificationOrigin): Promise<void> {
    return this.#current.notify(method, params, origin);
  }

  countOther(
    ...given: Parameters<NonNullable<Service["countOther"]>>
  ): ReturnType<NonNullable<Service["countOther"]>> {
    return this.#current.countOther?.(...given);
  }

  readCaller(params: JsonObject): ReturnType<Service["readCaller"]> {
    return this.#current.readCaller(params);
  }

  get telemetry(): Service["telemetry"] {
    return this.#current.telemetry;
  }

  openSession(...given: Parameters<Service["openSession"]>): ReturnType<Service["openSession"]> {
    return this.#current.openSession(...given);
  }

  forNodes(): ReturnType<Service["forNodes"]> {
    return this.#current.forNodes();
  }

  initializeResult(...given: Parameters<Service["initializeResult"]>): JsonObject {
    return this.#current.initializeResult(...given);
  }

  mirroredParams(...given: Parameters<Service["mirroredParams"]>): ReturnType<Service["mirroredParams"]> {
    return this.#current.mirroredParams(...given);
  }

  onChange(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  report(message: string, cause: unknown): void {
    this.#current.report(message, cause);
  }

  #emit(event: ServerEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
