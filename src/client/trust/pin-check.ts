import type { Tool } from "../../protocol/model/tool.ts";
import { diffDefinitions, escapeInvisible } from "./definition-diff.ts";
import { hashDefinition, serializeDefinition } from "./definition-hash.ts";
import type { NameOwner, NameOwners } from "./name-owners.ts";
import { type Pin, PinRecords, type Pins } from "./pin-records.ts";
import { type TrustStore, type TrustValue, toTrustStore, trustKey } from "./trust-store.ts";

/** A tool that has changed, or whose name belongs to another tool. */
export interface HeldTool {
  readonly serverId: string;
  readonly name: string;
  /** The tool as the server lists it now. */
  readonly tool: Tool;
  /** The hash of its definition, in hexadecimal digits. */
  readonly sha256: string;
  /**
   * `changed`: another definition was remembered under this name. `collides`: another tool, of
   * this server or of another, had the name first, or one that looks the same.
   */
  readonly reason: "changed" | "collides";
  /** The difference for a person to read, line by line, without invisible characters. */
  readonly diff: readonly string[];
}

export interface PinCheckResult {
  readonly allowed: readonly Tool[];
  readonly held: readonly HeldTool[];
}

export interface PinOptions {
  /** Keeps definitions between connections. Default: in memory, for as long as the process lives. */
  readonly store?: TrustStore | Map<string, TrustValue>;
  /**
   * Decides about a tool that is held back; `true` lets it through as it is now. Default: nobody is asked.
   *
   * Called once for each definition, and no more for a tool that was declined five times.
   */
  readonly approve?: (held: HeldTool) => boolean | Promise<boolean>;
  /** Lets tools of different servers share a name, for hosts that add a prefix to it. Default false. */
  readonly sharedNames?: boolean;
}

/** The number of tools that a client lists. */
const maxPins = 10_000;
/** Definitions that are longer are remembered by their hash alone. */
const maxDefinition = 65_536;
/** A server that changes a tool again and again must not wear the user down. */
const maxDeclined = 5;

interface SeenTool {
  readonly tool: Tool;
  readonly pin: Pin;
}

interface Examination {
  readonly held: ReadonlyMap<Tool, HeldTool>;
  readonly hasNewPins: boolean;
  readonly hasNewOwners: boolean;
}

/** Compares listed tools with their pins, asks the host about those that differ, and pins new ones. */
export class PinChecker {
  readonly #store: TrustStore;
  readonly #options: PinOptions;
  /** Hashes of definitions that the host was asked about and declined, by server and tool. */
  readonly #declined = new Map<string, Set<string>>();

  constructor(options: PinOptions) {
    this.#store = toTrustStore(options.store);
    this.#options = options;
  }

  /** Separates tools that may be used from those that are held back; remembers new ones. */
  async check(serverId: string, tools: readonly Tool[]): Promise<PinCheckResult> {
    const seen = await Promise.all(tools.map(async (tool) => ({ tool, pin: await toPin(tool) })));
    const held = new Map(await this.#hold(serverId, seen));
    for (const [tool, one] of held) if (await this.#isApproved(one)) held.delete(tool);
    return { allowed: tools.filter((tool) => !held.has(tool)), held: [...held.values()] };
  }

  /** Remembers a tool as it is now. */
  async approve({ serverId, name, tool }: HeldTool): Promise<void> {
    const pin = await toPin(tool);
    const records = new PinRecords(this.#store, serverId);
    await records.updateOwners((owners) => owners.add({ serverId, name }));
    await records.updatePins((pins) => {
      pins.set(name, pin);
      return true;
    });
  }

  /**
   * Pins the tools that are new, and returns those to hold back.
   *
   * Other processes may write to the same store meanwhile, so the tools are examined again inside
   * each update, against the records of that moment. Names are written before pins, so that a tool
   * whose name is taken is never pinned. A process that ends between the two writes leaves a name
   * without a pin: the tool keeps its name, and is pinned when it is listed again.
   */
  async #hold(serverId: string, seen: readonly SeenTool[]): Promise<ReadonlyMap<Tool, HeldTool>> {
    const records = new PinRecords(this.#store, serverId);
    const pins = await records.readPins();
    let owners = await records.readOwners();
    let examined = this.#examine(serverId, seen, { pins: new Map(pins), owners });
    if (examined.hasNewOwners)
      await records.updateOwners((now) => {
        owners = now;
        examined = this.#examine(serverId, seen, { pins: new Map(pins), owners });
        return examined.hasNewOwners;
      });
    if (examined.hasNewPins)
      await records.updatePins((now) => {
        examined = this.#examine(serverId, seen, { pins: now, owners });
        return examined.hasNewPins;
      });
    return examined.held;
  }

  /** Judges tools one after the other and adds those that are new to the pins and the owners. */
  #examine(serverId: string, seen: readonly SeenTool[], { pins, owners }: Remembered): Examination {
    const held = new Map<Tool, HeldTool>();
    let hasNewPins = false;
    let hasNewOwners = false;
    for (const { tool, pin } of seen) {
      const problem = this.#findProblem(serverId, { tool, pin }, { pins, owners });
      if (problem) {
        held.set(tool, problem);
        continue;
      }
      if (!pins.has(tool.name)) {
        pins.set(tool.name, pin);
        hasNewPins = true;
      }
      if (owners.add({ serverId, name: tool.name })) hasNewOwners = true;
    }
    return { held, hasNewPins, hasNewOwners };
  }

  #findProblem(
    serverId: string,
    { tool, pin }: SeenTool,
    { pins, owners }: Remembered,
  ): HeldTool | undefined {
    const { name } = tool;
    const known = pins.get(name);
    const held = { serverId, name, tool, sha256: pin.sha256 };
    if (known !== undefined)
      return known.sha256 === pin.sha256
        ? undefined
        : { ...held, reason: "changed", diff: describeChange(known, tool) };
    const owner = this.#otherOwner({ serverId, name }, owners);
    if (owner !== undefined) return { ...held, reason: "collides", diff: describeCollision(owner, tool) };
    if (pins.size >= maxPins)
      return { ...held, reason: "changed", diff: [`The server has had more than ${maxPins} tools.`] };
    return undefined;
  }

  #otherOwner(own: NameOwner, owners: NameOwners): NameOwner | undefined {
    if (owners.has(own)) return undefined;
    return owners
      .of(own.name)
      .find(({ serverId }) => !this.#options.sharedNames || serverId === own.serverId);
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
}

interface Remembered {
  readonly pins: Pins;
  readonly owners: NameOwners;
}

async function toPin(tool: Tool): Promise<Pin> {
  const definition = serializeDefinition(tool);
  const sha256 = await hashDefinition(definition);
  return definition.length > maxDefinition ? { sha256 } : { sha256, definition };
}

function describeChange({ definition }: Pin, tool: Tool): readonly string[] {
  if (definition === undefined) return ["Its earlier definition was too long to be kept."];
  return diffDefinitions(JSON.parse(definition), JSON.parse(serializeDefinition(tool)));
}

function describeCollision({ serverId, name }: NameOwner, tool: Tool): readonly string[] {
  const owner = `${JSON.stringify(name)} is a tool of ${serverId}`;
  return [escapeInvisible(owner), ...diffDefinitions({}, JSON.parse(serializeDefinition(tool)))];
}
