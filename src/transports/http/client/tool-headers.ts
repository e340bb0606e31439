import { InvalidResponseError } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { checkTool } from "../../../protocol/model-check.ts";
import { findParamHeaders, type ParamHeader } from "../../../protocol/param-headers.ts";

interface Entry {
  readonly mirrored: readonly ParamHeader[];
  readonly isRepeatable: boolean;
}

// As many as a client lists.
const maxTools = 10_000;

/** What a server's list of tools says that matters to HTTP. */
export class ToolHeaders {
  readonly #entries = new Map<string, Entry>();
  readonly #report: (problem: Error) => void;

  constructor(report: (problem: Error) => void) {
    this.#report = report;
  }

  knows(name: unknown): boolean {
    return typeof name === "string" && this.#entries.has(name);
  }

  /** The arguments of a tool that are repeated in headers. */
  mirroredOf(name: unknown): readonly ParamHeader[] {
    return this.#find(name)?.mirrored ?? [];
  }

  /** Whether the server says that calling a tool twice does no more than calling it once. */
  isRepeatable(name: unknown): boolean {
    return this.#find(name)?.isRepeatable ?? false;
  }

  /** Takes note of a page of the list. */
  take({ tools }: JsonObject): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools) if (checkTool(tool) === undefined) this.#add(tool, []);
  }

  /** The same where arguments may be mirrored: tools that want it in a way they may not are left out. */
  filter(result: JsonObject): JsonObject {
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    const kept = tools.filter((tool) => {
      // Whatever else is wrong with a tool is for whoever asked to judge.
      if (checkTool(tool) !== undefined) return true;
      const mirroring = findParamHeaders(tool.inputSchema);
      if (mirroring.ok) this.#add(tool, mirroring.params);
      else
        this.#report(
          new InvalidResponseError(
            `The tool ${JSON.stringify(tool.name)} is left out: ${mirroring.problem}.`,
          ),
        );
      return mirroring.ok;
    });
    return kept.length === tools.length ? result : { ...result, tools: kept };
  }

  clear(): void {
    this.#entries.clear();
  }

  #add(tool: JsonObject, mirrored: readonly ParamHeader[]): void {
    if (this.#entries.size >= maxTools) this.#entries.clear();
    const { annotations } = tool;
    const hints = isObject(annotations) ? annotations : {};
    const isRepeatable = hints.readOnlyHint === true || hints.idempotentHint === true;
    this.#entries.set(String(tool.name), { mirrored, isRepeatable });
  }

  #find(name: unknown): Entry | undefined {
    return typeof name === "string" ? this.#entries.get(name) : undefined;
  }
}
