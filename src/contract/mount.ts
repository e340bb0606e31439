import type { JsonObject } from "../lib/json.ts";
import type { Method } from "../protocol/method.ts";
import type { ServerCapabilities } from "../protocol/model/identity.ts";
import type { Call } from "./call.ts";
import type { ServerEvent } from "./server-event.ts";
import type { NotificationSender } from "./service.ts";

/** The contract of what can be mounted under a server: another server value, or a connected client. */
export interface Mount {
  readonly capabilities: ServerCapabilities;
  /** Allows calls to become tasks in the `state` of the call, where the mounting server finds them. */
  readonly sharesTasks?: boolean;
  /** As in `Service`. */
  readonly ready?: Promise<void> | undefined;
  /** Answers `call.method` with `call.params`, in the neutral model. */
  request(call: Call): Promise<JsonObject>;
  /** The custom methods that it answers: those that the specification does not have. */
  customMethods?(): readonly Method[];
  /** The notifications of clients that it listens to. */
  customNotifications?(): readonly Method[];
  /** Passes a notification of a client to its listeners; settles when they have ended, and never rejects. */
  notify?(method: string, params: JsonObject, sender: NotificationSender): Promise<void>;
  /** Subscribes to updates of a resource, where they don't come unasked. Safe to call twice. */
  watch?(uri: string): Promise<void>;
  /** Reports events until the returned function is called. */
  onChange(listener: (event: ServerEvent) => void): () => void;
}

/** A value that can be mounted under a server. */
export interface Mountable {
  "~mount"(): Mount;
}
