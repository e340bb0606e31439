import { isObject, type JsonObject } from "../../lib/json.ts";
import type { HostTool, ModelTool } from "../catalog/host-tool.ts";
import type { ToolCatalog } from "../catalog/tool-catalog.ts";
import { HostResult } from "../host-result.ts";
import { Bm25Index } from "./bm25.ts";
import { toQueryTerms, toToolTerms } from "./tool-terms.ts";

export interface SearchOptions {
  /** The number of tools. Default 5, at most 50. */
  readonly limit?: number | undefined;
}

export interface FoundTool {
  readonly tool: HostTool;
  readonly score: number;
}

/** The call that `call_tool` stands for. */
export interface NamedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

const defaultLimit = 5;
const maxLimit = 50;
/** Servers that the description of `search_tools` names. */
const maxNamed = 50;

/** Search over the catalogue, and the two tools by which models use it. The index follows the catalogue. */
export class ToolSearch {
  readonly #catalog: ToolCatalog;
  readonly #searchAbove: number;
  #index: { readonly terms: Bm25Index; readonly tools: Map<string, HostTool> } | undefined;

  constructor(catalog: ToolCatalog, searchAbove = 40) {
    this.#catalog = catalog;
    this.#searchAbove = searchAbove;
  }

  /** The tools for a model: all, or the two for searching if there are too many. */
  get modelTools(): readonly ModelTool[] {
    const { all } = this.#catalog;
    return all.length > this.#searchAbove ? [searchTool(all), callTool] : all;
  }

  /** The tools that fit a question best. */
  find(query: string, { limit = defaultLimit }: SearchOptions = {}): readonly FoundTool[] {
    const { terms, tools } = this.#opened();
    const hits = terms.search(toQueryTerms(query), Math.min(limit, maxLimit));
    return hits.flatMap(({ id, score }) => {
      const tool = tools.get(id);
      return tool ? [{ tool, score }] : [];
    });
  }

  /** The work of a call of `search_tools` or `call_tool`; undefined for all other names. */
  builtIn(name: string): ((args: JsonObject) => HostResult | NamedCall) | undefined {
    if (name === searchName) return (args) => this.#search(args);
    return name === callName ? readCall : undefined;
  }

  #search({ query, limit }: JsonObject): HostResult {
    if (typeof query !== "string")
      return HostResult.failure(`${searchName} needs a query, which is a string.`);
    const found = this.find(query, typeof limit === "number" && limit >= 1 ? { limit } : {});
    if (found.length === 0)
      return HostResult.failure("No tool fits. Try other words: what it should do, and to what.");
    const shown = found.map(({ tool: { name, description, inputSchema } }) => ({
      name,
      description,
      inputSchema,
    }));
    return new HostResult({ content: [{ type: "text", text: JSON.stringify(shown) }] });
  }

  /** The index, made with the first question and kept up to date from then on. */
  #opened(): { readonly terms: Bm25Index; readonly tools: Map<string, HostTool> } {
    if (this.#index) return this.#index;
    const index = { terms: new Bm25Index(), tools: new Map<string, HostTool>() };
    const set = (tool: HostTool) => {
      index.tools.set(tool.name, tool);
      index.terms.set(tool.name, toToolTerms(tool));
    };
    for (const tool of this.#catalog.all) set(tool);
    this.#catalog.onChange(({ added, changed, removed }) => {
      for (const { name } of removed) {
        index.tools.delete(name);
        index.terms.delete(name);
      }
      for (const tool of [...added, ...changed]) set(tool);
    });
    this.#index = index;
    return index;
  }
}

const searchName = "search_tools";
const callName = "call_tool";

function searchTool(all: readonly HostTool[]): ModelTool {
  const servers = [...new Set(all.map(({ server }) => server))];
  const named = servers.slice(0, maxNamed).join(", ") + (servers.length > maxNamed ? " and others" : "");
  return {
    name: searchName,
    title: "Search tools",
    description: `Finds tools by what they do. There are ${all.length} tools, of: ${named}. Returns names, descriptions and input schemas; run one with ${callName}.`,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: 'What the tool should do, such as "create a calendar event"' },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: maxLimit,
          description: `How many. Default ${defaultLimit}`,
        },
      },
      required: ["query"],
    },
    annotations: { readOnlyHint: true },
  };
}

const callTool: ModelTool = {
  name: callName,
  title: "Call a tool",
  description: `Runs a tool that ${searchName} found.`,
  inputSchema: {
    type: "object",
    properties: {
      name: { type: "string", description: `The name that ${searchName} returned` },
      arguments: { type: "object", description: "The arguments, as its input schema says" },
    },
    required: ["name", "arguments"],
  },
};

/** Models sometimes write the arguments as text. */
function readCall({ name, arguments: given = {} }: JsonObject): HostResult | NamedCall {
  const args = typeof given === "string" ? parse(given) : given;
  if (typeof name !== "string" || name === searchName || name === callName || !isObject(args))
    return HostResult.failure(`${callName} needs the name of a tool, and its arguments as an object.`);
  return { name, arguments: args };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON; the answer explains to the model what is needed.
    return undefined;
  }
}
