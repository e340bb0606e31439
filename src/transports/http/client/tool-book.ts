import { InvalidAnswerError } from "../../../protocol/errors.ts";
import { checkTool } from "../../../protocol/item-check.ts";
import { isObject, type JsonObject } from "../../../protocol/json.ts";
import { findMirroredParams, type MirroredParam } from "../../../protocol/mirrored-params.ts";

interface Entry {
  readonly mirrored: readonly MirroredParam[];
  readonly isRepeatable: boolean;
}

// As many as a client lists.
const maxTools = 10_000;

/** What a server's list of tools says that matters to HTTP. */
export class ToolBook {
  readonly #entries = new Map<string, Entry>();
  readonly #report: (problem: Error) => void;

  constructor(report: (problem: Error) => void) {
    this.#report = report;
  }

  knows(name: unknown): boolean {
    return typeof name === "string" && this.#entries.has(name);
  }

  /** The arguments of a tool that are repeated in headers. */
  mirroredOf(name: unknown): readonly MirroredParam[] {
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
      const mirroring = findMirroredParams(tool.inputSchema);
      if (mirroring.ok) this.#add(tool, mirroring.params);
      else
        this.#report(
          new InvalidAnswerError(`The tool ${JSON.stringify(tool.name)} is left out: ${mirroring.problem}.`),
        );
      return mirroring.ok;
    });
    return kept.length === tools.length ? result : { ...result, tools: kept };
  }

  clear(): void {
    this.#entries.clear();
  }

  #add(tool: JsonObject, mirrored: readonly MirroredParam[]): void {
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
