import { type Context, isSuspension, ToolError } from "allspeak";
import fc from "fast-check";

/** What a handler does, as data, so that any number of nodes can do the same. */
export type Step =
  | { readonly kind: "form" | "unnamed" | "again" | "model" | "roots" }
  | { readonly kind: "odd"; readonly key: string }
  | { readonly kind: "once"; readonly value: unknown; readonly ms: number }
  | { readonly kind: "failing-once" | "throw" }
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "all" | "settled"; readonly branches: readonly Script[] }
  | { readonly kind: "guard" | "accepted" | "refused"; readonly steps: Script };

export type Script = readonly Step[];

/** What the handlers have done to the world, over all their runs. */
export interface World {
  /** How often each `once` came to its end. */
  readonly done: Map<string, number>;
  /** How often a handler was begun. */
  runs: number;
}

export function createWorld(): World {
  return { done: new Map(), runs: 0 };
}

/** Runs a script; what it returns is all that the handler got to see. */
export async function runScript(script: Script, ctx: Context, world: World): Promise<string> {
  world.runs++;
  return JSON.stringify(await new ScriptRun(ctx, world).steps(script, { at: "", isAccepted: false }));
}

/** One line of steps, each of which follows the one before. */
interface Line {
  readonly at: string;
  /** Whether the last form in it was accepted. */
  isAccepted: boolean;
}

class ScriptRun {
  readonly #ctx: Context;
  readonly #world: World;

  constructor(ctx: Context, world: World) {
    this.#ctx = ctx;
    this.#world = world;
  }

  async steps(script: Script, line: Line): Promise<unknown[]> {
    const seen: unknown[] = [];
    for (const [index, step] of script.entries()) {
      const inner = { at: `${line.at}.${index}`, isAccepted: line.isAccepted };
      seen.push(await this.#step(step, inner));
      line.isAccepted = inner.isAccepted;
    }
    return seen;
  }

  async #step(step: Step, line: Line): Promise<unknown> {
    const { at } = line;
    switch (step.kind) {
      case "form":
        return note(line, await this.#ctx.elicit(`form${at}`, `form${at}?`, form));
      case "unnamed":
        return note(line, await this.#ctx.elicit(`unnamed${at}?`, form));
      case "again":
        return note(line, await this.#ctx.elicit("again", `again${at}?`, form));
      case "odd":
        return note(line, await this.#ctx.elicit(step.key, `odd${at}?`, form));
      case "model":
        return (await this.#ctx.sample(`model${at}`, toPrompt(at))).text;
      case "roots":
        return this.#ctx.roots();
      case "once":
        return [await this.#ctx.once(`once${at}`, () => this.#do(at, step))];
      case "failing-once":
        return this.#ctx.once(`once${at}`, () => Promise.reject(new ToolError(`once${at} failed`)));
      case "throw":
        throw new ToolError(`thrown${at}`);
      case "delay":
        return wait(step.ms);
      case "all":
        return Promise.all(this.#begin(step.branches, at));
      case "settled":
        return settled(this.#begin(step.branches, at));
      case "guard":
        return this.#guarded(step.steps, line);
      case "accepted":
        return line.isAccepted ? this.steps(step.steps, line) : "passed over";
      case "refused":
        return line.isAccepted ? "passed over" : this.steps(step.steps, line);
    }
  }

  #begin(branches: readonly Script[], at: string): Promise<unknown[]>[] {
    return branches.map((branch, index) => this.steps(branch, { at: `${at}:${index}`, isAccepted: false }));
  }

  async #do(at: string, { value, ms }: { readonly value: unknown; readonly ms: number }): Promise<unknown> {
    if (ms > 0) await wait(ms);
    this.#world.done.set(at, (this.#world.done.get(at) ?? 0) + 1);
    return value;
  }

  async #guarded(steps: Script, line: Line): Promise<unknown> {
    try {
      return await this.steps(steps, line);
    } catch (error) {
      if (isSuspension(error)) throw error;
      return { caught: (error as Error).message };
    }
  }
}

function note<T extends { readonly action: string }>(line: Line, answer: T): T {
  line.isAccepted = answer.action === "accept";
  return answer;
}

/** The first failure by place, not by time, so that the outcome is the same however long each takes. */
async function settled(running: readonly Promise<unknown>[]): Promise<unknown> {
  const ends = await Promise.allSettled(running);
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (failures.length > 0) throw failures.find(isSuspension) ?? failures[0];
  return ends.map((end) => end.status === "fulfilled" && end.value);
}

const form = {
  type: "object",
  properties: { word: { type: "string" }, count: { type: "integer", default: 7 } },
  required: ["word"],
} as const;

function toPrompt(at: string) {
  return {
    messages: [{ role: "user" as const, content: { type: "text" as const, text: `model${at}?` } }],
    maxTokens: 10,
  };
}

function wait(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, ms, `waited ${ms}`));
}

/**
 * Answers one question by its content alone, so that whoever asks it, whenever, gets the same.
 *
 * Some forms are accepted, some declined, some cancelled.
 */
export function answerTo(method: string, params: unknown): Record<string, unknown> {
  if (method === "roots/list") return { roots: [{ uri: "file:///work", name: "work" }] };
  const { message = "", messages } = params as { message?: string; messages?: unknown };
  if (method === "sampling/createMessage") {
    const text = `answer to ${JSON.stringify(messages)}`;
    return { role: "assistant", content: { type: "text", text }, model: "none", stopReason: "endTurn" };
  }
  const sum = [...message].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  if (sum % 4 === 0) return { action: "decline" };
  if (sum % 4 === 1 && sum % 3 === 0) return { action: "cancel" };
  return { action: "accept", content: { word: message, ...(sum % 2 === 0 && { count: sum }) } };
}

// Some take longer than a handler needs to come to its next question, some do not.
const ms = fc.constantFrom(0, 0, 1, 3, 10);
// Too large to be carried, even when it is compressed.
const large = fc.nat().map((seed) => Array.from({ length: 4_000 }, (_, at) => Math.sin(seed + at)));
const onceValue = fc.oneof(
  { weight: 8, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: large },
);
const once = fc.record({ kind: fc.constant("once" as const), value: onceValue, ms });
const delay = fc.record({ kind: fc.constant("delay" as const), ms });

function simply<K extends string>(...kinds: K[]): fc.Arbitrary<{ readonly kind: K }> {
  return fc.constantFrom(...kinds).map((kind) => ({ kind }));
}

// Where several go on side by side, what is named by the order of asking depends on how long each takes.
const sideBySide = fc.oneof(
  { weight: 4, arbitrary: simply("form", "form", "model", "roots") },
  { weight: 3, arbitrary: once },
  { weight: 2, arbitrary: delay },
);
const calmBranch = fc.array(sideBySide, { maxLength: 3 });
const wildBranch = fc.array(
  fc.oneof({ weight: 8, arbitrary: sideBySide }, { weight: 1, arbitrary: simply("throw", "failing-once") }),
  { maxLength: 3 },
);
const together = fc.oneof(
  // Of several failures the first in time wins, which differs by nature.
  fc.record({ kind: fc.constant("all" as const), branches: fc.array(calmBranch, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant("settled" as const), branches: fc.array(wildBranch, { maxLength: 3 }) }),
);
const odd = fc.record({
  kind: fc.constant("odd" as const),
  key: fc.constantFrom(
    "__proto__",
    "constructor",
    "again-2",
    "ask-1",
    "",
    " ",
    "\u043a\ud800",
    "k".repeat(300),
  ),
});
const leaf = fc.oneof(
  { weight: 5, arbitrary: simply("form", "unnamed", "again", "model", "roots") },
  { weight: 1, arbitrary: odd },
  { weight: 4, arbitrary: once },
  { weight: 1, arbitrary: delay },
  { weight: 4, arbitrary: together },
  { weight: 1, arbitrary: simply("throw", "failing-once") },
);
const nested = fc.record({
  kind: fc.constantFrom("guard" as const, "accepted" as const, "refused" as const),
  steps: fc.array(leaf, { maxLength: 4 }),
});

/** Scripts of a handful of steps, of every kind, some inside others. */
export const anyScript: fc.Arbitrary<Script> = fc.array(
  fc.oneof({ weight: 5, arbitrary: leaf }, { weight: 2, arbitrary: nested }),
  { minLength: 1, maxLength: 7 },
);
