import { assertMountable, type Mount, type Mountable } from "../contract/mount/mount.ts";
import { assertFunction, assertOptions, assertString, type OptionKinds } from "../contract/options.ts";
import type { HasPromptTypes, HasResourceTypes, HasToolTypes } from "../contract/server-types.ts";
import type { Servable, Service } from "../contract/service.ts";
import { RegistrationError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { OnDemand } from "../lib/async/on-demand.ts";
import { hasUnsafeIcons } from "../protocol/check/safe-icons.ts";
import type { Implementation } from "../protocol/model/identity.ts";
import { assertLogLevel, type LogLevel } from "../protocol/model/logging.ts";
import type { SchemaInput } from "../schema/compile.ts";
import { Catalog, type ServerSettings } from "./catalog/catalog.ts";
import { CatalogService } from "./catalog/catalog-service.ts";
import { noRoomToWatch } from "./catalog/mount-table.ts";
import { tasksOf } from "./catalog/mounts.ts";
import type { Registration } from "./catalog/registry.ts";
import { assertDefinition, type Definition } from "./define/definition.ts";
import {
  type CustomMethodHandler,
  type CustomNotificationListener,
  compileMethod,
  type MethodOptions,
  methodOptionKinds,
  type NotificationOptions,
  notificationOptionKinds,
} from "./define/method.ts";
import { compilePrompt, type PromptHandler, type PromptOptions, prompt } from "./define/prompt.ts";
import {
  compileResource,
  isTemplate,
  type ResourceHandler,
  type ResourceOptions,
  resource,
} from "./define/resource.ts";
import {
  compileTool,
  type NoSchema,
  type ToolDefinition,
  type ToolHandler,
  type ToolOptions,
  tool,
} from "./define/tool.ts";
import type { Middleware } from "./middleware.ts";

/**
 * A server as a value. It holds what it offers and nothing about its clients.
 *
 * One value may be served on any number of transports and to any number of clients at once.
 */
export class Server<Tools = unknown, Prompts = unknown, Resources = unknown>
  implements HasToolTypes<Tools>, HasPromptTypes<Prompts>, HasResourceTypes<Resources>, Mountable, Servable
{
  declare readonly "~tools"?: Tools;
  declare readonly "~prompts"?: Prompts;
  declare readonly "~resources"?: Resources;
  /** @internal */
  readonly catalog: Catalog;

  constructor(settings: ServerSettings) {
    this.catalog = new Catalog(settings);
  }

  get info(): Implementation {
    return this.catalog.settings.info;
  }

  /** Registers a tool. It may be registered at any time; clients are notified. */
  tool<Input extends SchemaInput>(
    name: string,
    description: string,
    input: Input,
    handler: ToolHandler<Input, NoSchema>,
  ): Registration;
  tool<Input extends SchemaInput = NoSchema, Output extends SchemaInput = NoSchema>(
    name: string,
    options: ToolOptions<Input, Output>,
    handler: ToolHandler<Input, Output>,
  ): Registration;
  tool(name: string, description: string, handler: ToolHandler<NoSchema, NoSchema>): Registration;
  tool(...given: readonly unknown[]): Registration {
    return this.add(toDefinition(given as ToolForm));
  }

  /** Registers a resource, or a template of resources. */
  resource<const Uri extends string>(
    uri: Uri,
    options: ResourceOptions<Uri>,
    handler: ResourceHandler<Uri>,
  ): Registration {
    return this.add(resource(uri, options, handler));
  }

  /** Registers a prompt. */
  prompt<Args extends SchemaInput = NoSchema>(
    name: string,
    options: PromptOptions<Args>,
    handler: PromptHandler<Args>,
  ): Registration {
    return this.add(prompt(name, options, handler));
  }

  /**
   * Answers a custom method, which the specification does not have, on every revision. Names of the
   * specification, and those that begin with `rpc.`, throw a UsageError.
   */
  method<Params extends SchemaInput = NoSchema, Result extends SchemaInput = NoSchema>(
    name: string,
    options: MethodOptions<Params, Result>,
    handler: CustomMethodHandler<Params, Result>,
  ): Registration {
    assertOptions("server.method", options, methodOptionKinds);
    return this.catalog.customMethods.add(name, compileMethod(name, options, handler));
  }

  /**
   * Listens to a notification of clients, until the returned function is called: one that the
   * specification does not have, or one of its own such as `notifications/roots/list_changed`.
   * Failures of the listener, and params that do not fit, are logged, at most once a minute.
   */
  onNotification<Params extends SchemaInput = NoSchema>(
    name: string,
    options: NotificationOptions<Params>,
    listener: CustomNotificationListener<Params>,
  ): () => void {
    assertOptions("server.onNotification", options, notificationOptionKinds);
    assertFunction("server.onNotification", listener);
    return this.catalog.customNotifications.add(name, options, listener);
  }

  /** Registers a value made by `tool`, `resource` or `prompt`. */
  add(definition: Definition): Registration {
    assertDefinition(definition);
    assertSafeIcons(definition);
    switch (definition.kind) {
      case "tool": {
        const compiled = compileTool(definition, this.catalog.settings.unknownArguments);
        return this.catalog.tools.add(definition.name, compiled);
      }
      case "resource": {
        const compiled = compileResource(definition);
        if (isTemplate(compiled)) return this.catalog.templates.add(definition.uri, compiled);
        return this.catalog.resources.add(definition.uri, compiled);
      }
      case "prompt":
        return this.catalog.prompts.add(definition.name, compilePrompt(definition));
    }
  }

  /** The notifications that a server sends about its resources. */
  get resources(): ResourceNotifier {
    return {
      updated: (uri) => {
        assertString("server.resources.updated", uri);
        return this.catalog.events.resourceUpdated(uri);
      },
      changed: () => this.catalog.changed("resources"),
    };
  }

  /**
   * Notifies the client that received a UrlElicitationRequiredError that the user has completed the
   * URL elicitation with this `id`.
   */
  completeElicitation(id: string): void {
    assertString("server.completeElicitation", id);
    this.catalog.events.elicitationCompleted(id);
  }

  /**
   * Sends a log message outside a call to the clients that are connected to this process, or to one of them:
   * `{ session: ctx.session.id }`. Clients receive the levels that they asked for.
   *
   * In 2026-07-28 a log message belongs to a request, so clients of that revision receive none of these. A client
   * that reads slowly misses older ones. For the log of the server itself, see the option `log`.
   */
  log(level: LogLevel, data: unknown, options: ServerLogOptions = {}): void {
    assertLogLevel(level);
    assertOptions("server.log", options, logOptionKinds);
    const { logging, logLevel } = this.catalog.settings;
    const { session, ...others } = options;
    const sessions = session === undefined ? undefined : [session];
    if (logging) this.catalog.events.logged({ ...others, sessions, level, data, defaultLevel: logLevel });
  }

  /** Adds a middleware around every request. The first one added is the outermost. */
  use(middleware: Middleware): this {
    assertFunction("server.use", middleware);
    this.catalog.middlewares.push(middleware);
    return this;
  }

  /**
   * Mounts another server: its tools and prompts are offered as `prefix_name`, its resources under
   * their own URIs. `other` is a server value or a connected client.
   */
  mount(prefix: string, other: Mountable): Registration {
    assertMountable(other, prefix);
    const mount = other["~mount"]();
    if (mount.reaches?.(this))
      throw new RegistrationError("A server can't be mounted in itself, nor in one that it has mounted.");
    return this.catalog.mount(prefix, mount);
  }

  "~mount"(): Mount {
    const { catalog } = this;
    catalog.pending.offer();
    return {
      name: catalog.settings.info.name,
      ready: catalog.pending.ready,
      get capabilities() {
        return catalog.capabilities;
      },
      sharesTasks: true,
      get tasks() {
        return tasksOf(catalog.mounts);
      },
      customMethods: () => catalog.customRows,
      customNotifications: () => catalog.notificationRows,
      notify: (method, params, sender) => catalog.notifyListeners(method, params, sender),
      request: async (call) => mounted.use(({ answerMounted }) => answerMounted(catalog, call)),
      reaches: (server) => server === this || catalog.mounts.some(({ mount }) => mount.reaches?.(server)),
      has: (kind, name) => catalog.has(kind, name),
      names: (kind) => catalog.names(kind),
      onRegister: (check) => catalog.onRegister(check),
      mirroredParams: (tool) => catalog.mirroredParams(tool),
      accessTo: async (call, uri) => mounted.use(({ accessMounted }) => accessMounted(catalog, call, uri)),
      setLogLevel: async (call) => void (await catalog.passToMounts("setLogLevel", call)),
      setSubscriptions: async (call) => void (await catalog.passToMounts("setSubscriptions", call)),
      watch: async (uri, call) => {
        if (!catalog.watch(uri, call)) throw noRoomToWatch();
      },
      unwatch: (uri) => catalog.unwatch(uri),
      onChange: (listener) => catalog.events.onOwn(listener),
    };
  }

  "~service"(): Service {
    return new CatalogService(this.catalog);
  }
}

/** Loaded with the first call through a mount: most servers are served, not mounted. */
const mounted = new OnDemand(() => import("./answer-mounted.ts"));

export interface ServerLogOptions {
  readonly logger?: string | undefined;
  /** The id of the only session that receives the message. Default: all sessions, whoever they belong to. */
  readonly session?: string | undefined;
}

const logOptionKinds: OptionKinds<ServerLogOptions> = { logger: "string", session: "string" };

/** Refuses icons that no client may show, where the author sees it. */
function assertSafeIcons({ kind, options, ...definition }: Definition): void {
  if (!hasUnsafeIcons(options)) return;
  const name = "uri" in definition ? definition.uri : definition.name;
  throw new RegistrationError(
    `The icons of the ${kind} "${name}" need an src that begins with https: or data:.`,
  );
}

export interface ResourceNotifier {
  /**
   * Notifies subscribers that the resource at this URI has changed.
   *
   * Where nodes share a state, the promise settles when the state has it, so that no subscriber of any node misses it,
   * and rejects if it never will. Nobody has to wait for it.
   */
  updated(uri: string): MaybePromise<void>;
  /** Notifies clients that the list of resources has changed, for templates with a `list`. */
  changed(): void;
}

type ToolForm =
  | readonly [
      name: string,
      description: string,
      input: SchemaInput,
      handler: ToolHandler<SchemaInput, NoSchema>,
    ]
  | readonly [name: string, about: string | ToolOptions, handler: ToolHandler<SchemaInput, SchemaInput>];

/** The definition behind each of the three signatures of `Server.tool`. */
function toDefinition(form: ToolForm): ToolDefinition {
  if (form.length === 4) return tool(form[0], { description: form[1], input: form[2] }, form[3]);
  const [name, about, handler] = form;
  return tool(name, typeof about === "string" ? { description: about } : about, handler);
}
