import type { Tool } from "../../protocol/model/tool.ts";
import { diffDefinitions, escapeInvisible } from "./definition-diff.ts";
import { hashDefinition, serializeDefinition } from "./definition-hash.ts";
import { type NameOwner, type Pin, PinRecords } from "./pin-records.ts";
import { PinnedToolGuard } from "./tool-guard.ts";
import type { GuardedClient, HeldTool, PinCheckResult, ToolGuard, ToolPins } from "./tool-pins.ts";
import { processTrustStore, type TrustStore, trustKey } from "./trust-store.ts";

export interface PinOptions {
  /** Where definitions are remembered. Default: in memory, for as long as the process lives. */
  readonly store?: TrustStore;
  /**
   * Asked when a tool is held back; `true` lets it through as it is now. Default: nobody is asked.
   *
   * Asked once for each definition, and no more for a tool that was declined five times.
   */
  readonly approve?: (held: HeldTool) => boolean | Promise<boolean>;
  /** Whether tools of different servers may share a name, as where the host tells them apart by a prefix. Default false. */
  readonly sharedNames?: boolean;
}

/** As many as a client lists. */
const maxPins = 10_000;
/** Definitions that are longer are remembered by their hash alone. */
const maxDefinition = 65_536;
/** A server that changes a tool again and again must not wear the user down. */
const maxDeclined = 5;

/**
 * Holds back tools that have changed since they were first seen, and those that take
 * another's name: `connect(url, { pin: pinTools({ approve }) })`.
 */
export function pinTools(options: PinOptions = {}): ToolPins {
  return new Pins(options);
}

class Pins implements ToolPins {
  readonly #store: TrustStore;
  readonly #options: PinOptions;
  /** Hashes of definitions that the host was asked about and did not want, by server and tool. */
  readonly #declined = new Map<string, Set<string>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PinOptions) {
    this.#store = options.store ?? processTrustStore;
    this.#options = options;
  }

  async check(serverId: string, tools: readonly Tool[]): Promise<PinCheckResult> {
    const problems = await this.#inTurn(async () => {
      const ledger = await PinRecords.read(this.#store, serverId);
      const found = new Map<Tool, HeldTool>();
      for (const tool of tools) {
        const problem = await this.#judge(serverId, tool, ledger);
        if (problem) found.set(tool, problem);
      }
      await ledger.save();
      return found;
    });
    // Outside of the turn: a user may take long, and others need not wait.
    for (const [tool, problem] of problems) if (await this.#isApproved(problem)) problems.delete(tool);
    return { allowed: tools.filter((tool) => !problems.has(tool)), held: [...problems.values()] };
  }

  approve({ serverId, name, tool }: HeldTool): Promise<void> {
    return this.#inTurn(async () => {
      const ledger = await PinRecords.read(this.#store, serverId);
      ledger.pin(name, await toPin(tool));
      await ledger.save();
    });
  }

  guard(client: GuardedClient): ToolGuard {
    return new PinnedToolGuard(this, client);
  }

  /** Why a tool is held back; one that is new is remembered instead. */
  async #judge(serverId: string, tool: Tool, ledger: PinRecords): Promise<HeldTool | undefined> {
    const { name } = tool;
    const pin = await toPin(tool);
    const known = ledger.find(name);
    const held = { serverId, name, tool, sha256: pin.sha256 };
    if (known !== undefined && known.sha256 !== pin.sha256)
      return { ...held, reason: "changed", diff: describeChange(known, tool) };
    const owner = known === undefined ? this.#otherOwner(serverId, name, ledger) : undefined;
    if (owner !== undefined) return { ...held, reason: "collides", diff: describeCollision(owner, tool) };
    if (known === undefined && ledger.size >= maxPins)
      return { ...held, reason: "changed", diff: [`The server has had more than ${maxPins} tools.`] };
    if (known === undefined) ledger.pin(name, pin);
    else ledger.addOwner(name);
    return undefined;
  }

  async #isApproved(held: HeldTool): Promise<boolean> {
    const { approve } = this.#options;
    if (approve === undefined) return false;
    const key = trustKey(held.serverId, held.name);
    const declined = this.#declined.get(key) ?? new Set();
    if (declined.has(held.sha256) || declined.size >= maxDeclined || this.#declined.size >= maxPins)
      return false;
    if ((await approve(held)) !== true) {
      this.#declined.set(key, declined.add(held.sha256));
      return false;
    }
    await this.approve(held);
    return true;
  }

  #otherOwner(serverId: string, name: string, ledger: PinRecords): NameOwner | undefined {
    const owners = ledger.owners(name);
    if (owners.some((owner) => owner.serverId === serverId && owner.name === name)) return undefined;
    return owners.find((owner) => !this.#options.sharedNames || owner.serverId === serverId);
  }

  /** One after the other: what is read must still be so when it is written. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run, run);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

async function toPin(tool: Tool): Promise<Pin> {
  const definition = serializeDefinition(tool);
  const sha256 = await hashDefinition(definition);
  return definition.length > maxDefinition ? { sha256 } : { sha256, definition };
}

function describeChange({ definition }: Pin, tool: Tool): readonly string[] {
  if (definition === undefined) return ["What it was before was too long to be kept."];
  return diffDefinitions(JSON.parse(definition), JSON.parse(serializeDefinition(tool)));
}

function describeCollision({ serverId, name }: NameOwner, tool: Tool): readonly string[] {
  const owner = `${JSON.stringify(name)} is a tool of ${serverId}`;
  return [escapeInvisible(owner), ...diffDefinitions({}, JSON.parse(serializeDefinition(tool)))];
}
