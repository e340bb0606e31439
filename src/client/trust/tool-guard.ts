import { toCancelled } from "../../contract/cancelled-error.ts";
import { ToolHeldError, UsageError } from "../../errors.ts";
import { SingleFlight } from "../../lib/async/single-flight.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import type { HeldTool, PinChecker } from "./pin-check.ts";

/** A client whose tools are guarded. */
export interface GuardedClient {
  readonly serverId: string;
  /** Receives an error for each tool that is held back, once. */
  readonly report: (problem: Error) => void;
  /** Lists all tools, so that each page is checked; the signal aborts when nobody waits for the list any more. */
  readonly list: (signal: AbortSignal) => Promise<unknown>;
}

/** One reading of the list of tools. */
export interface GuardedListing {
  /** The tools of a page that may be used. */
  onPage(tools: readonly Tool[]): Promise<readonly Tool[]>;
  /** Called after the last page. */
  onEnd(): void;
}

export interface ToolGuard {
  readonly held: readonly HeldTool[];
  /** Called when the server reports that its tools have changed. */
  onChange(): void;
  /** Called when a list is requested. */
  onListing(): GuardedListing;
  /** Rejects when a tool may not be called; lists the tools first if it is unknown. */
  assertAllowed(name: string, signal: AbortSignal | undefined): Promise<void>;
  /** Lets a tool through that is held back, as it is now. */
  approve(name: string): Promise<void>;
}

/** The shortest time between two lists, however often the server reports changes. */
const relistMs = 1_000;
/** Tools that are held back, and reports about them, that are remembered. */
const maxHeld = 10_000;

/** Keeps tools that are held back from being listed and called through one client. */
export class HeldToolGuard implements ToolGuard {
  readonly #checker: PinChecker;
  readonly #client: GuardedClient;
  readonly #allowed = new Set<string>();
  readonly #held = new Map<string, HeldTool>();
  /** The last definition of each that was reported. */
  readonly #reported = new Map<string, string>();
  /** The number of changes that the server has reported: so far, and before the last complete list. */
  #changes = 0;
  #seen = -1;
  #listedAt = Number.NEGATIVE_INFINITY;
  readonly #listing = new SingleFlight<unknown>((reason) => toCancelled("tools/call", reason));

  constructor(checker: PinChecker, client: GuardedClient) {
    this.#checker = checker;
    this.#client = client;
  }

  get held(): readonly HeldTool[] {
    return [...this.#held.values()];
  }

  onChange(): void {
    this.#changes++;
  }

  /** Keeps earlier results until all pages were read: a caller may stop before the page that has a tool. */
  onListing(): GuardedListing {
    const changes = this.#changes;
    const allowed = new Set<string>();
    const held = new Set<string>();
    return {
      onPage: async (tools) => {
        const examined = await this.#checker.check(this.#client.serverId, tools);
        for (const one of examined.held) {
          held.add(one.name);
          this.#hold(one);
        }
        for (const { name } of examined.allowed) {
          allowed.add(name);
          // A tool that is listed twice with different definitions stays held back.
          if (!held.has(name)) this.#release(name);
        }
        return examined.allowed;
      },
      onEnd: () => {
        this.#seen = Math.max(this.#seen, changes);
        this.#listedAt = performance.now();
        for (const name of this.#allowed)
          if (!allowed.has(name) && !held.has(name)) this.#allowed.delete(name);
        for (const name of this.#held.keys()) if (!held.has(name)) this.#held.delete(name);
      },
    };
  }

  async assertAllowed(name: string, signal: AbortSignal | undefined): Promise<void> {
    const isKnown = this.#seen === this.#changes && (this.#allowed.has(name) || this.#held.has(name));
    if (!isKnown && performance.now() - this.#listedAt >= relistMs) {
      const { signal: never } = new AbortController();
      await this.#listing.join(signal ?? never, (stop) => this.#client.list(stop));
    }
    const held = this.#held.get(name);
    if (held) throw toError(held);
    if (this.#allowed.has(name)) return;
    throw new ToolHeldError(
      `Tool ${JSON.stringify(name)} is not listed by the server, so its definition is unknown.`,
      [],
    );
  }

  async approve(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (held === undefined) throw new UsageError(`No tool ${JSON.stringify(name)} is held back.`);
    await this.#checker.approve(held);
    this.#release(name);
  }

  #hold(held: HeldTool): void {
    const { name, sha256 } = held;
    this.#allowed.delete(name);
    // A tool that is forgotten here is held back: only tools in `#allowed` may be called.
    if (this.#held.size >= maxHeld) this.#held.clear();
    this.#held.set(name, held);
    if (this.#reported.get(name) === sha256) return;
    if (this.#reported.size >= maxHeld) this.#reported.clear();
    this.#reported.set(name, sha256);
    this.#client.report(toError(held));
  }

  #release(name: string): void {
    this.#held.delete(name);
    this.#allowed.add(name);
  }
}

function toError({ name, reason, diff }: HeldTool): ToolHeldError {
  const what = reason === "changed" ? "has changed since it was approved" : "has a name that is taken";
  const shown = JSON.stringify(name);
  return new ToolHeldError(
    `Tool ${shown} is held back: it ${what}. Look at the difference (diff of this error), then approve it by client.tools.approve(${shown}).`,
    diff,
  );
}
