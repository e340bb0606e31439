import { RegistrationError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import type { ParamHeader } from "../../protocol/headers/param-headers.ts";
import type { Method } from "../../protocol/method.ts";
import type { ServerCapabilities } from "../../protocol/model/identity.ts";
import type { Call } from "../call.ts";
import type { ServerEvent } from "../server-event.ts";
import type { NotificationSender } from "../service.ts";
import type { MountTasks } from "./mount-tasks.ts";

/** The kinds of items that are offered under the prefix of their mount. */
export type PrefixedKind = "tools" | "prompts";

/** Checks that a name is free; throws RegistrationError. */
export type NameCheck = (kind: PrefixedKind, name: string) => void;

/** The access of one caller to a resource; `unknown` where no resource has the URI, or only the server behind a client knows. */
export type ResourceAccess = "usable" | "hidden" | "unknown";

/** The contract of what can be mounted under a server: another server value, or a connected client. */
export interface Mount {
  /** The name that the server gives itself. */
  readonly name?: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** Allows calls to become tasks in the `state` of the call, where the mounting server finds them. */
  readonly sharesTasks?: boolean;
  /** The tasks that it runs elsewhere; absent where there are none. */
  readonly tasks?: MountTasks | undefined;
  /** As in `Service`. */
  readonly ready?: Promise<void> | undefined;
  /** Answers `call.method` with `call.params`, in the neutral model. */
  request(call: Call): Promise<JsonObject>;
  /** Returns whether it is this server, or has mounted it: `server` is what `mount` was called on. */
  reaches?(server: object): boolean;
  /** Returns whether it has an item of this name; undefined as long as it does not know. */
  has?(kind: PrefixedKind, name: string): boolean | undefined;
  /** The names that it certainly has. */
  names?(kind: PrefixedKind): readonly string[];
  /** Runs a check before each later registration, until the returned function is called. */
  onRegister?(check: NameCheck): () => void;
  /** The arguments of a tool that headers repeat. */
  mirroredParams?(tool: string): readonly ParamHeader[];
  /** Decides on updates of a resource by the same rules as on reading it; throws RpcError. */
  accessTo?(call: Call, uri: string): Promise<ResourceAccess>;
  /** The custom methods that it answers: those that the specification does not have. */
  customMethods?(): readonly Method[];
  /** The row of a custom method that it passes on without knowing it: only the server behind it does. */
  passedMethod?(name: string): Method | undefined;
  /** The notifications of clients that it listens to. */
  customNotifications?(): readonly Method[];
  /** Passes a notification of a client to its listeners; settles when they have ended, and never rejects. */
  notify?(method: string, params: JsonObject, sender: NotificationSender): Promise<void>;
  /** Lets the server behind it log from the level that the session of the call has set. Reports its errors, and never rejects. */
  setLogLevel?(call: Call): Promise<void>;
  /**
   * Subscribes at the server behind it to the resources that the session of the call is subscribed to, over the
   * connection that this session alone uses, if it has one. Reports its errors, and never rejects.
   */
  setSubscriptions?(call: Call): Promise<void>;
  /** Subscribes to updates of a resource, where they don't come unasked, for a call if there is one. Safe to call twice. */
  watch?(uri: string, call?: Call): Promise<void>;
  /** Ends the subscription to a resource, if there is one. */
  unwatch?(uri: string): void;
  /** Reports events until the returned function is called. */
  onChange(listener: (event: ServerEvent) => void): () => void;
}

/** A value that can be mounted under a server. */
export interface Mountable {
  "~mount"(): Mount;
}

export function assertMountable(value: unknown, prefix: unknown): asserts value is Mountable {
  if (isMountable(value)) return;
  if (isMountable(prefix))
    throw new RegistrationError('mount takes a prefix before the server: mount("maps", server).');
  throw new RegistrationError(
    `mount takes a server value or a connected client, not ${describeValue(value)}.`,
  );
}

function isMountable(value: unknown): boolean {
  return typeof Object(value)["~mount"] === "function";
}
