import { isObject } from "../protocol/json.ts";
import type { Tool } from "../protocol/model/tool.ts";
import { diffDefinitions, escapeUnseen } from "./pin-diff.ts";
import { hashDefinition, toDefinition } from "./pin-hash.ts";
import { PinWatch } from "./pin-watch.ts";
import type { Examined, HeldTool, ToolPins, ToolWatch, Watched } from "./pins.ts";
import { processTrust, type TrustStore, trustKey } from "./trust-store.ts";

export interface PinOptions {
  /** Where definitions are remembered. Default: in memory, for as long as the process lives. */
  readonly store?: TrustStore;
  /** Asked once for each definition that is held back; `true` lets it through from now on. Default: nobody is asked. */
  readonly approve?: (held: HeldTool) => boolean | Promise<boolean>;
  /** Whether tools of different servers may share a name, as where the host tells them apart by a prefix. Default false. */
  readonly sharedNames?: boolean;
}

/** As many as a client lists. */
const maxPins = 10_000;
/** Definitions that are longer are remembered by their hash alone. */
const maxDefinition = 65_536;

/**
 * Holds back tools that have changed since they were first seen, and those that take
 * another's name: `connect(url, { pin: pinTools({ approve }) })`.
 */
export function pinTools(options: PinOptions = {}): ToolPins {
  return new Pins(options);
}

interface Pin {
  readonly sha256: string;
  readonly definition?: string;
}

class Pins implements ToolPins {
  readonly #store: TrustStore;
  readonly #options: PinOptions;
  /** What the host was asked about and did not want. */
  readonly #declined = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PinOptions) {
    this.#store = options.store ?? processTrust;
    this.#options = options;
  }

  examine(serverId: string, tools: readonly Tool[]): Promise<Examined> {
    return this.#inTurn(async () => {
      const pins = await this.#read(serverId);
      const allowed: Tool[] = [];
      const held: HeldTool[] = [];
      const before = pins.size;
      for (const tool of tools) {
        const problem = await this.#judge(serverId, tool, pins);
        if (problem === undefined || (await this.#isApproved(problem, pins))) allowed.push(tool);
        else held.push(problem);
      }
      if (pins.size !== before) await this.#write(serverId, pins);
      return { allowed, held };
    });
  }

  watch(client: Watched): ToolWatch {
    return new PinWatch(this, client);
  }

  approve(held: HeldTool): Promise<void> {
    return this.#inTurn(async () => this.#accept(held, await this.#read(held.serverId)));
  }

  /** Why a tool is held back; one that is new is remembered instead. */
  async #judge(serverId: string, tool: Tool, pins: Map<string, Pin>): Promise<HeldTool | undefined> {
    const pin = await toPin(tool);
    const known = pins.get(tool.name);
    if (known?.sha256 === pin.sha256) return undefined;
    const held = { serverId, name: tool.name, tool };
    if (known !== undefined) return { ...held, reason: "changed", diff: describeChange(known, tool) };
    const owner = await this.#otherOwner(serverId, tool.name);
    if (owner !== undefined) return { ...held, reason: "collides", diff: describeCollision(owner, tool) };
    if (pins.size >= maxPins)
      return {
        ...held,
        reason: "changed",
        diff: [`More than ${maxPins} tools have had this server's word.`],
      };
    pins.set(tool.name, pin);
    await this.#own(serverId, tool.name);
    return undefined;
  }

  async #isApproved(held: HeldTool, pins: Map<string, Pin>): Promise<boolean> {
    const { approve } = this.#options;
    const asked = trustKey(held.serverId, held.name, (await toPin(held.tool)).sha256);
    if (approve === undefined || this.#declined.has(asked)) return false;
    const approved = (await approve(held)) === true;
    if (approved) await this.#accept(held, pins);
    else this.#declined.add(asked);
    return approved;
  }

  async #accept({ serverId, name, tool }: HeldTool, pins: Map<string, Pin>): Promise<void> {
    pins.set(name, await toPin(tool));
    await this.#own(serverId, name);
    await this.#write(serverId, pins);
  }

  async #otherOwner(serverId: string, name: string): Promise<Owner | undefined> {
    const owners = await this.#owners(name);
    if (owners.some((owner) => owner.serverId === serverId && owner.name === name)) return undefined;
    return owners.find((owner) => !this.#options.sharedNames || owner.serverId === serverId);
  }

  async #own(serverId: string, name: string): Promise<void> {
    const owners = await this.#owners(name);
    if (owners.some((owner) => owner.serverId === serverId && owner.name === name)) return;
    await this.#store.set(nameKey(name), { owners: [...owners, { serverId, name }] });
  }

  async #owners(name: string): Promise<readonly Owner[]> {
    const kept = await this.#store.get(nameKey(name));
    return isObject(kept) && Array.isArray(kept.owners) ? kept.owners : [];
  }

  async #read(serverId: string): Promise<Map<string, Pin>> {
    const kept = await this.#store.get(trustKey("pins", serverId));
    return new Map(isObject(kept) && Array.isArray(kept.tools) ? kept.tools : []);
  }

  async #write(serverId: string, pins: Map<string, Pin>): Promise<void> {
    await this.#store.set(trustKey("pins", serverId), { tools: [...pins] });
  }

  /** One after the other: what is read must still be so when it is written. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run, run);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

interface Owner {
  readonly serverId: string;
  readonly name: string;
}

/** Names that look the same have the same key. */
function nameKey(name: string): string {
  const seen = name.normalize("NFKC").replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  return trustKey("tool", seen.toLowerCase());
}

async function toPin(tool: Tool): Promise<Pin> {
  const definition = toDefinition(tool);
  const sha256 = await hashDefinition(definition);
  return definition.length > maxDefinition ? { sha256 } : { sha256, definition };
}

function describeChange({ definition }: Pin, tool: Tool): readonly string[] {
  if (definition === undefined) return ["What it was before was too long to be kept."];
  return diffDefinitions(JSON.parse(definition), JSON.parse(toDefinition(tool)));
}

function describeCollision({ serverId, name }: Owner, tool: Tool): readonly string[] {
  const owner = `${JSON.stringify(name)} is a tool of ${serverId}`;
  return [escapeUnseen(owner), ...diffDefinitions({}, JSON.parse(toDefinition(tool)))];
}
