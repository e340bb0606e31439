import type { ToolHeldError } from "../../errors.ts";
import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import { type HostTool, toHostTool } from "./host-tool.ts";
import { toToolName } from "./tool-names.ts";
import { ruleFor, type ToolRules } from "./tool-rules.ts";

/** The difference that a new list of one server makes. */
export interface CatalogChange {
  readonly server: string;
  readonly added: readonly HostTool[];
  /** Tools of the same name with another definition, as they are now. */
  readonly changed: readonly HostTool[];
  readonly removed: readonly HostTool[];
}

/** A server as far as the names of its tools follow from it. */
export interface ListedServer {
  readonly name: string;
  readonly prefix: string;
  readonly rules: ToolRules;
}

/** The tools of all servers under the names that models see. */
export class ToolCatalog {
  /** By server, then by name. */
  readonly #servers = new Map<string, ReadonlyMap<string, HostTool>>();
  /** The errors of tools that are held back, by server, then by name. */
  readonly #held = new Map<string, ReadonlyMap<string, ToolHeldError>>();
  readonly #listeners = new Set<(change: CatalogChange) => void>();
  readonly #order: () => Iterable<string>;
  #all: readonly HostTool[] | undefined;

  /** `order` gives the names of all servers, in the order of the configuration. */
  constructor(order: () => Iterable<string>) {
    this.#order = order;
  }

  /** All tools, in an order that does not depend on which server was faster: models' caches need it. */
  get all(): readonly HostTool[] {
    this.#all ??= [...this.#order()].flatMap((server) =>
      [...(this.#servers.get(server)?.values() ?? [])].filter(({ isHidden }) => !isHidden),
    );
    return this.#all;
  }

  has(server: string): boolean {
    return this.#servers.has(server);
  }

  find(server: string, name: string): HostTool | undefined {
    return this.#servers.get(server)?.get(name);
  }

  /** The error of a tool that its pin holds back. */
  findHeld(server: string, name: string): ToolHeldError | undefined {
    return this.#held.get(server)?.get(name);
  }

  /** Replaces the errors of the tools of a server that are held back, by their own names. */
  async setHeld(
    { name, prefix, rules }: ListedServer,
    held: ReadonlyMap<string, ToolHeldError>,
  ): Promise<void> {
    const named = [...held].map(
      async ([own, error]) => [ruleFor(rules, own).rename ?? (await toToolName(prefix, own)), error] as const,
    );
    this.#held.set(name, new Map(await Promise.all(named)));
  }

  /** Replaces the tools of a server; returns those that are left out because another of the server has their name. */
  async set(server: ListedServer, tools: readonly Tool[]): Promise<readonly Tool[]> {
    const { name, prefix, rules } = server;
    const named = await Promise.all(
      tools.map(async (tool) => {
        const rule = ruleFor(rules, tool.name);
        return toHostTool(name, rule.rename ?? (await toToolName(prefix, tool.name)), tool, rule);
      }),
    );
    const next = new Map<string, HostTool>();
    const leftOut: Tool[] = [];
    for (const tool of named) {
      if (next.has(tool.name)) leftOut.push(tool.tool);
      else next.set(tool.name, tool);
    }
    this.#replace(name, next);
    return leftOut;
  }

  remove(server: string): void {
    this.#held.delete(server);
    if (this.#servers.has(server)) this.#replace(server, undefined);
  }

  /** Calls the listener with each change until the returned function is called. */
  onChange(listener: (change: CatalogChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #replace(server: string, next: ReadonlyMap<string, HostTool> | undefined): void {
    const before = this.#servers.get(server) ?? new Map<string, HostTool>();
    const now = next ?? new Map<string, HostTool>();
    if (next) this.#servers.set(server, next);
    else this.#servers.delete(server);
    this.#all = undefined;
    const change: CatalogChange = {
      server,
      added: [...now.values()].filter(({ name }) => !before.has(name)),
      changed: [...now.values()].filter((tool) => isChanged(before.get(tool.name), tool)),
      removed: [...before.values()].filter(({ name }) => !now.has(name)),
    };
    if (change.added.length + change.changed.length + change.removed.length === 0) return;
    for (const listener of this.#listeners) listener(change);
  }
}

function isChanged(before: HostTool | undefined, now: HostTool): boolean {
  return before !== undefined && canonicalJson(before.tool) !== canonicalJson(now.tool);
}
