import type { CallForwarder } from "../client/forward/call-forwarder.ts";
import type { Call } from "../contract/call.ts";
import type { Mount, PrefixedKind } from "../contract/mount.ts";
import type { ServerEvent } from "../contract/server-event.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ServerCapabilities } from "../protocol/model/identity.ts";

/**
 * The server behind a bridge as a mount: each caller has a connection of its own, over which its calls, its answers
 * to questions, its progress and its logs go. Changes of lists and of resources come over one connection for all.
 */
export class BridgeMount implements Mount {
  readonly #main: Mount;
  readonly #forwarder: CallForwarder;

  constructor(main: Mount, forwarder: CallForwarder) {
    this.#main = main;
    this.#forwarder = forwarder;
  }

  get name(): string | undefined {
    return this.#main.name;
  }

  get capabilities(): ServerCapabilities {
    return this.#main.capabilities;
  }

  has(kind: PrefixedKind, name: string): boolean | undefined {
    return this.#main.has?.(kind, name);
  }

  async watch(uri: string): Promise<void> {
    await this.#main.watch?.(uri);
  }

  unwatch(uri: string): void {
    this.#main.unwatch?.(uri);
  }

  onChange(listener: (event: ServerEvent) => void): () => void {
    return this.#main.onChange(listener);
  }

  request(call: Call): Promise<JsonObject> {
    return this.#forwarder.request(call);
  }
}
