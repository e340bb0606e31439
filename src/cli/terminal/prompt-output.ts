import type { Writable } from "node:stream";
import type { Terminal } from "./terminal.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const weights = /\u001b\[[\d;]*m/g;

/**
 * Standard error as the prompts write to it: with a size where the terminal names none, and without colours and
 * weights where they are not wanted.
 */
export function toPromptOutput({ streams: { stderr }, notePaint }: Terminal): Writable {
  const write = (text: unknown, ...rest: unknown[]) =>
    Reflect.apply(stderr.write, stderr, [
      notePaint.isOn || typeof text !== "string" ? text : text.replace(weights, ""),
      ...rest,
    ]);
  return new Proxy(stderr, {
    get(target, name) {
      if (name === "write") return write;
      if (name === "columns") return target.columns || 80;
      const value: unknown = Reflect.get(target, name, target);
      if (name === "rows") return value || 24;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
