import type { JsonObject } from "../lib/json.ts";
import type { ServerCapabilities } from "../protocol/model/identity.ts";
import type { Call } from "./call.ts";

/** Something about a server's offer that changed. */
export type Change =
  | { readonly kind: "tools" | "prompts" | "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** What a server has to tell of its own accord: a change, or that the user has done what a page was to be visited for. */
export type ServerEvent = Change | { readonly kind: "visit"; readonly id: string };

/** What can be mounted under a server: another server value, or a connected client. */
export interface Mount {
  readonly capabilities: ServerCapabilities;
  /** Whether calls may become tasks in the state that they bring along, where whoever mounts it finds them. */
  readonly sharesTasks?: boolean;
  /** Answers in the neutral model; `call.method` and `call.params` are what is asked here. */
  request(call: Call): Promise<JsonObject>;
  /** Asks to hear of updates of a resource, where they don't come unasked. Safe to call twice. */
  watch?(uri: string): Promise<void>;
  /** Tells of changes until the returned function is called. */
  onChange(listener: (news: ServerEvent) => void): () => void;
}

/** A value that says itself how it is mounted. */
export interface Mountable {
  "~mount"(): Mount;
}
