import { InvalidResponseError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { checkTool } from "../protocol/model-check.ts";
import { findParamHeaders, type ParamHeader } from "../protocol/param-headers.ts";
import type { Report } from "./report.ts";

/** The part of a listed tool that matters to a call over HTTP. */
export interface ListedTool {
  /** The arguments that are repeated in headers. */
  readonly paramHeaders: readonly ParamHeader[];
  /** The server marks it as read-only or idempotent, so that a lost call is repeated. */
  readonly isRepeatable: boolean;
}

// As many as a client lists.
const maxTools = 10_000;

/** The tools of a server as last listed, by name, with the facts that a call over HTTP depends on. */
export class ListedTools {
  readonly #tools = new Map<string, ListedTool>();
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  find(name: unknown): ListedTool | undefined {
    return typeof name === "string" ? this.#tools.get(name) : undefined;
  }

  /** Remembers a page of the list, in revisions without param headers. */
  take({ tools }: JsonObject): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools) if (checkTool(tool) === undefined) this.#add(tool, []);
  }

  /**
   * Remembers a page of the list; gives it without the tools whose `x-mcp-header` is invalid.
   *
   * basic/transports/streamable-http#schema-extension (2026-07-28)
   */
  filter(result: JsonObject): JsonObject {
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    const kept = tools.filter((tool) => {
      // Other faults of a tool are for the reader of the list to judge.
      if (checkTool(tool) !== undefined) return true;
      const search = findParamHeaders(tool.inputSchema);
      if (search.ok) this.#add(tool, search.params);
      else
        this.#report(
          new InvalidResponseError(`The tool ${JSON.stringify(tool.name)} is left out: ${search.problem}.`),
        );
      return search.ok;
    });
    return kept.length === tools.length ? result : { ...result, tools: kept };
  }

  clear(): void {
    this.#tools.clear();
  }

  #add(tool: JsonObject, paramHeaders: readonly ParamHeader[]): void {
    if (this.#tools.size >= maxTools) this.#tools.clear();
    const { annotations } = tool;
    const hints = isObject(annotations) ? annotations : {};
    const isRepeatable = hints.readOnlyHint === true || hints.idempotentHint === true;
    this.#tools.set(String(tool.name), { paramHeaders, isRepeatable });
  }
}
