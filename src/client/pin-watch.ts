import { untilAborted } from "../peer/until-aborted.ts";
import { ToolHeldError, UsageError } from "../protocol/errors.ts";
import type { Tool } from "../protocol/model/tool.ts";
import type { HeldTool, ToolPins, ToolWatch, Watched } from "./pins.ts";

/** A server that says all the time that its tools have changed is asked no more often than this. */
const relistMs = 1_000;
const maxReported = 10_000;

/** Keeps tools that are held back from being listed and called through one client. */
export class PinWatch implements ToolWatch {
  readonly #pins: ToolPins;
  readonly #client: Watched;
  readonly #allowed = new Set<string>();
  readonly #held = new Map<string, HeldTool>();
  /** The last definition of each that was reported. */
  readonly #reported = new Map<string, string>();
  /** How often the server has said that its tools changed: up to now, before the list that is asked for, and before the one that was had. */
  #changes = 0;
  #asked = 0;
  #seen = -1;
  #listedAt = Number.NEGATIVE_INFINITY;
  #listing: Promise<unknown> | undefined;

  constructor(pins: ToolPins, client: Watched) {
    this.#pins = pins;
    this.#client = client;
  }

  get held(): readonly HeldTool[] {
    return [...this.#held.values()];
  }

  onChange(): void {
    this.#changes++;
  }

  onListing(): void {
    this.#asked = this.#changes;
  }

  async examine(tools: readonly Tool[], isFirst: boolean): Promise<readonly Tool[]> {
    const { serverId, report } = this.#client;
    const { allowed, held } = await this.#pins.examine(serverId, tools);
    if (isFirst) {
      this.#seen = this.#asked;
      this.#listedAt = performance.now();
      this.#allowed.clear();
      this.#held.clear();
    }
    for (const { name } of allowed) this.#allowed.add(name);
    for (const one of held) {
      this.#held.set(one.name, one);
      if (this.#reported.get(one.name) === one.sha256) continue;
      if (this.#reported.size >= maxReported) this.#reported.clear();
      this.#reported.set(one.name, one.sha256);
      report(toError(one));
    }
    // One that is listed twice and is not the same both times is as it was first seen.
    return allowed;
  }

  async assertAllowed(name: string, signal: AbortSignal | undefined): Promise<void> {
    const isKnown = this.#seen === this.#changes && (this.#allowed.has(name) || this.#held.has(name));
    if (!isKnown && performance.now() - this.#listedAt >= relistMs) {
      this.#listing ??= this.#client.list().finally(() => {
        this.#listing = undefined;
      });
      await untilAborted(this.#listing, "tools/call", signal);
    }
    const held = this.#held.get(name);
    if (held) throw toError(held);
    if (this.#allowed.has(name)) return;
    throw new ToolHeldError(
      `Tool ${JSON.stringify(name)} is not listed by the server, so it can't be known what it is.`,
      [],
    );
  }

  async approve(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (held === undefined) throw new UsageError(`No tool ${JSON.stringify(name)} is held back.`);
    await this.#pins.approve(held);
    this.#held.delete(name);
    this.#allowed.add(name);
  }
}

function toError({ name, reason, diff }: HeldTool): ToolHeldError {
  const what = reason === "changed" ? "has changed since it was approved" : "has a name that is taken";
  return new ToolHeldError(
    `Tool ${JSON.stringify(name)} is held back: it ${what}. Look at the difference, then approve it.`,
    diff,
  );
}
