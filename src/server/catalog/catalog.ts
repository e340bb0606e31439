import type { Call } from "../../contract/call.ts";
import type { Mount, NameCheck, PrefixedKind } from "../../contract/mount/mount.ts";
import type { ServerEvent } from "../../contract/server-event.ts";
import type { NotificationSender } from "../../contract/service.ts";
import type { Telemetry } from "../../contract/telemetry.ts";
import type { RpcError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ParamHeader } from "../../protocol/headers/param-headers.ts";
import type { Method } from "../../protocol/method.ts";
import {
  hasCapability,
  type Implementation,
  type ServerCapabilities,
} from "../../protocol/model/identity.ts";
import type { LogLevel } from "../../protocol/model/logging.ts";
import { tasksCapability, tasksExtension } from "../../protocol/model/task.ts";
import type { SupportedRevisions } from "../../protocol/negotiate.ts";
import type { State } from "../../state/state.ts";
import type { CompiledMethod } from "../define/method.ts";
import type { CompiledPrompt } from "../define/prompt.ts";
import type { CompiledResource, CompiledTemplate } from "../define/resource.ts";
import type { CompiledTool, UnknownArguments } from "../define/tool.ts";
import type { LogSink } from "../log.ts";
import type { Middleware } from "../middleware.ts";
import { ServerEvents } from "../server-events.ts";
import type { TaskOptions } from "../tasks/task-options.ts";
import { CustomNotifications } from "./custom-notifications.ts";
import { MountTable, nameTaken } from "./mount-table.ts";
import { findMount, type Mounted } from "./mounts.ts";
import { PendingItems } from "./pending-items.ts";
import { type Registration, Registry } from "./registry.ts";

/** The options of `createServer` with their defaults filled in. */
export interface ServerSettings {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly supported: SupportedRevisions;
  readonly pageSize: number;
  readonly listTtlMs: number;
  readonly logLevel: LogLevel;
  readonly logging: boolean;
  readonly unknownArguments: UnknownArguments;
  /** The client capabilities without which a client is refused. */
  readonly requires: readonly string[];
  readonly capabilities: ServerCapabilities;
  /** The number of rounds that one call may take. */
  readonly maxRounds: number;
  readonly tasks: TaskOptions;
  readonly secrets: readonly string[] | undefined;
  readonly state: State | undefined;
  readonly telemetry: Telemetry | undefined;
  readonly log: LogSink;
}

/** Everything a server offers: its definitions, mounts and settings. It knows nothing of any client. */
export class Catalog {
  readonly settings: ServerSettings;
  readonly events: ServerEvents;
  readonly middlewares: Middleware[] = [];
  readonly tools: Registry<CompiledTool>;
  readonly resources: Registry<CompiledResource>;
  readonly templates: Registry<CompiledTemplate>;
  readonly prompts: Registry<CompiledPrompt>;
  /** Methods of the author beside those of the specification. */
  readonly customMethods: Registry<CompiledMethod>;
  readonly customNotifications: CustomNotifications;
  readonly pending: PendingItems;
  readonly #mounts: MountTable;
  /** The checks of the servers that mount this one. */
  readonly #hostChecks = new Set<NameCheck>();
  readonly #answers = new Map<string, unknown>();
  #positions = 0;

  constructor(settings: ServerSettings) {
    this.settings = settings;
    this.events = new ServerEvents(settings.log);
    this.pending = new PendingItems(settings.log);
    const hooks = {
      nextPosition: () => this.nextPosition(),
      onPending: (item: Promise<unknown>) => this.pending.add(item),
    };
    const named = (kind: PrefixedKind) => ({
      ...hooks,
      assertFree: (name: string) => this.#assertFreeElsewhere(kind, name),
    });
    this.tools = new Registry("tool", named("tools"), () => this.changed("tools"));
    this.resources = new Registry("resource", hooks, () => this.changed("resources"));
    this.templates = new Registry("resource template", hooks, () => this.changed("resources"));
    this.prompts = new Registry("prompt", named("prompts"), () => this.changed("prompts"));
    this.customMethods = new Registry("method", hooks, () => this.forgetAnswers());
    const onChange = () => this.forgetAnswers();
    this.customNotifications = new CustomNotifications({ log: settings.log, ...hooks, onChange });
    this.#mounts = new MountTable({
      registry: new Registry<Mount>("mount", hooks, () => this.#everythingChanged()),
      log: settings.log,
      secrets: settings.secrets,
      assertFree: (kind, name) => this.#assertFreeOutside(kind, name),
    });
  }

  /** Adds another server's catalog under a prefix. */
  mount(prefix: string, mount: Mount): Registration {
    const registration = this.#mounts.add(prefix, mount);
    if (mount.ready !== undefined) this.pending.add(mount.ready);
    const stop = mount.onChange((event) => this.#onMountEvent(event));
    return {
      ...registration,
      remove: () => {
        stop();
        registration.remove();
      },
    };
  }

  /** The mounts, longest prefix first. */
  get mounts(): readonly Mounted[] {
    return this.#mounts.all;
  }

  /** Returns whether there is an item of this name, here or in a mount; undefined as long as a mount does not know. */
  has(kind: PrefixedKind, name: string): boolean | undefined {
    return this[kind].has(name) || this.#mounts.has(kind, name);
  }

  names(kind: PrefixedKind): readonly string[] {
    return [...this[kind].keys, ...this.#mounts.names(kind)];
  }

  /** Runs a check before each registration of a name, until the returned function is called. */
  onRegister(check: NameCheck): () => void {
    this.#hostChecks.add(check);
    return () => void this.#hostChecks.delete(check);
  }

  /** Throws if a name for an item of this server is taken in a mount, or in a server that mounts this one. */
  #assertFreeElsewhere(kind: PrefixedKind, name: string): void {
    if (this.#mounts.has(kind, name)) throw nameTaken(kind, name);
    for (const check of this.#hostChecks) check(kind, name);
  }

  /** Throws if a name for an item of a mount is taken by this server, or by one that mounts it. */
  #assertFreeOutside(kind: PrefixedKind, name: string): void {
    if (this[kind].has(name)) throw nameTaken(kind, name);
    for (const check of this.#hostChecks) check(kind, name);
  }

  #onMountEvent(event: ServerEvent): void {
    const { kind, sessions, except } = event;
    if (kind !== "tools" && kind !== "prompts" && kind !== "resources") return this.events.forward(event);
    this.forgetAnswers();
    if (sessions || except) this.events.forward(event);
    else this.events.listChanged(kind);
  }

  /** The arguments of a tool, here or in a mount, that headers repeat. */
  mirroredParams(tool: string): readonly ParamHeader[] {
    const own = this.tools.get(tool);
    if (own || this.#mounts.size === 0) return own?.mirrored ?? [];
    const found = findMount(this.mounts, tool, "tools");
    return found?.mounted.mount.mirroredParams?.(found.name) ?? [];
  }

  /** Subscribes to a resource at every mount that sends updates only to subscribers, until as many `unwatch`; false when it has no room. */
  watch(uri: string, call?: Call): boolean {
    return this.#mounts.watch(uri, call);
  }

  /** The error of the mounts, where all of them refuse to send updates of a watched resource. */
  watchRefusal(uri: string): Promise<RpcError | undefined> {
    return this.#mounts.refusalOf(uri);
  }

  unwatch(uri: string): void {
    this.#mounts.unwatch(uri);
  }

  nextPosition(): number {
    return ++this.#positions;
  }

  changed(kind: "tools" | "prompts" | "resources"): void {
    this.forgetAnswers();
    this.events.listChanged(kind);
  }

  forgetAnswers(): void {
    this.#answers.clear();
  }

  /** A custom method, registered here or in a mount. */
  findCustomMethod(name: string): CompiledMethod | undefined {
    const own = this.customMethods.get(name);
    if (own || this.#mounts.size === 0) return own;
    for (const mounted of this.mounts) {
      const { mount } = mounted;
      const known = mount.customMethods?.().find((method) => method.name === name);
      const row = known ?? mount.passedMethod?.(name);
      if (row) return { row, handle: ({ call }) => requestCustom(mounted, call) };
    }
    return undefined;
  }

  /** The rows of all methods that `findCustomMethod` finds. */
  get customRows(): readonly Method[] {
    return [
      ...this.customMethods.enabled().map(({ item }) => item.row),
      ...this.mounts.flatMap(({ mount }) => mount.customMethods?.() ?? []),
    ];
  }

  /** The rows of the notifications that have a listener, here or in a mount. */
  get notificationRows(): readonly Method[] {
    const { rows } = this.customNotifications;
    if (this.#mounts.size === 0) return rows;
    return [...rows, ...this.mounts.flatMap(({ mount }) => mount.customNotifications?.() ?? [])];
  }

  listensTo(method: string): boolean {
    if (this.customNotifications.has(method)) return true;
    return this.#mounts.size > 0 && this.notificationRows.some(({ name }) => name === method);
  }

  /** Passes a notification to the listeners, here and in the mounts; never rejects. */
  async notifyListeners(method: string, params: JsonObject, sender: NotificationSender): Promise<void> {
    await Promise.all([
      this.customNotifications.receive(method, params, sender),
      ...this.mounts.map(({ mount }) => mount.notify?.(method, params, sender)),
    ]);
  }

  /** Passes on what a session has set; undefined where no mount takes it elsewhere. */
  passToMounts(setting: "setLogLevel" | "setSubscriptions", call: Call): Promise<unknown> | undefined {
    const settings = this.mounts.flatMap(({ mount }) => mount[setting]?.(call) ?? []);
    return settings.length > 0 ? Promise.all(settings) : undefined;
  }

  #everythingChanged(): void {
    this.#mounts.changed();
    for (const kind of ["tools", "resources", "prompts"] as const) this.changed(kind);
  }

  /** The cached value of a key, made by `make` if nothing was cached since the last change. */
  cached<T>(key: string, make: () => T): T {
    const known = this.#answers.get(key);
    if (known !== undefined) return known as T;
    const made = make();
    this.#answers.set(key, made);
    return made;
  }

  /** The capabilities that follow from the registered items, here and in the mounts. */
  get capabilities(): ServerCapabilities {
    if (this.#mounts.size === 0) return this.cached("capabilities", () => this.#ownCapabilities());
    const all = [...this.mounts.map(({ mount }) => mount.capabilities), this.#ownCapabilities()];
    const shared = ["tools", "resources", "prompts", "completions"];
    const sharesTasks = this.mounts.some(
      ({ mount }) =>
        mount.tasks !== undefined ||
        (mount.sharesTasks && hasCapability(mount.capabilities, tasksCapability)),
    );
    return Object.assign(
      {},
      ...all.map((capabilities) => pick(capabilities, shared)),
      this.#ownCapabilities(sharesTasks),
    );
  }

  #ownCapabilities(sharesTasks = false): ServerCapabilities {
    const hasResources = this.resources.size + this.templates.size > 0;
    return {
      ...(this.tools.size > 0 && { tools: { listChanged: true } }),
      ...(hasResources && { resources: { listChanged: true, subscribe: true } }),
      ...(this.prompts.size > 0 && { prompts: { listChanged: true } }),
      ...(this.#completes() && { completions: {} }),
      ...(this.settings.logging && { logging: {} }),
      ...this.settings.capabilities,
      ...this.#extensions(sharesTasks),
    };
  }

  #extensions(sharesTasks: boolean): ServerCapabilities {
    const names = [...this.customRows, ...this.notificationRows].flatMap(({ extension }) => extension ?? []);
    if (sharesTasks || this.#hasTasks()) names.push(tasksExtension);
    if (names.length === 0) return {};
    const declared = Object.fromEntries(names.map((name) => [name, {}]));
    return { extensions: { ...declared, ...this.settings.capabilities.extensions } };
  }

  #hasTasks(): boolean {
    return this.cached("has tasks", () =>
      this.tools.enabled().some(({ item: { options } }) => (options.task ?? "never") !== "never"),
    );
  }

  #completes(): boolean {
    return this.cached("completes", () =>
      [...this.prompts.enabled(), ...this.templates.enabled()].some(({ item }) => item.options.complete),
    );
  }
}

async function requestCustom(mounted: Mounted, call: Call): Promise<JsonObject> {
  const { requestMounted } = await import("./mounted-requests.ts");
  return requestMounted(mounted, call, call.params);
}

function pick(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
}
