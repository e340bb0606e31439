import { InvalidResponseError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { checkTool } from "../../protocol/check/model-check.ts";
import { findParamHeaders, type ParamHeader } from "../../protocol/headers/param-headers.ts";
import type { Report } from "../report.ts";
import { maxListItems } from "./list-limits.ts";

/** The part of a listed tool that matters to a call over HTTP. */
export interface ListedTool {
  /** The arguments that are repeated in headers. */
  readonly paramHeaders: readonly ParamHeader[];
  /** The server marks it as read-only or idempotent, so that a lost call is repeated. */
  readonly isRepeatable: boolean;
  /** The number of the list that had it last. */
  readonly list: number;
}

/** Tools that are named in one report; the others are counted. */
const maxNamed = 3;

/** The tools of a server as last listed, by name, with the facts that a call over HTTP depends on. */
export class ListedTools {
  readonly #tools = new Map<string, ListedTool>();
  readonly #report: Report;
  #lists = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  find(name: unknown): ListedTool | undefined {
    return typeof name === "string" ? this.#tools.get(name) : undefined;
  }

  /** Remembers a page of the list, in revisions without param headers. */
  take(result: JsonObject): JsonObject {
    for (const tool of validTools(result)) this.#add(tool, []);
    return result;
  }

  /**
   * Remembers a page of the list; gives it without the tools whose `x-mcp-header` is invalid.
   *
   * basic/transports/streamable-http#schema-extension (2026-07-28)
   */
  filter(result: JsonObject): JsonObject {
    const refused = new Map<unknown, string>();
    for (const tool of validTools(result)) {
      const search = findParamHeaders(tool.inputSchema as JsonObject);
      if (search.ok) this.#add(tool, search.params);
      else refused.set(tool, `${JSON.stringify(tool.name)} is left out: ${search.problem}`);
    }
    if (refused.size === 0) return result;
    this.#reportRefused([...refused.values()]);
    return { ...result, tools: (result.tools as readonly unknown[]).filter((tool) => !refused.has(tool)) };
  }

  /** Begins to read the whole list; the returned function, called at its end, forgets the tools that were not in it. */
  beginList(): () => void {
    const list = ++this.#lists;
    return () => {
      for (const [name, tool] of this.#tools) if (tool.list < list) this.#tools.delete(name);
    };
  }

  #reportRefused(problems: readonly string[]): void {
    const named = problems.slice(0, maxNamed).join("; the tool ");
    const unnamed = problems.length > maxNamed ? `; and ${problems.length - maxNamed} more` : "";
    this.#report(new InvalidResponseError(`The tool ${named}${unnamed}.`));
  }

  #add(tool: JsonObject, paramHeaders: readonly ParamHeader[]): void {
    if (this.#tools.size >= maxListItems) this.#tools.clear();
    const { annotations } = tool;
    const hints = isObject(annotations) ? annotations : {};
    const isRepeatable = hints.readOnlyHint === true || hints.idempotentHint === true;
    this.#tools.set(String(tool.name), { paramHeaders, isRepeatable, list: this.#lists });
  }
}

/** The tools of a page that have no other faults, which are for the reader of the list to judge; none of a list that is too long. */
function validTools({ tools }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(tools) || tools.length > maxListItems) return [];
  return tools.filter((tool) => checkTool(tool) === undefined);
}
