import { createServer } from "allspeak";
import { expect, test } from "vitest";

// What only JavaScript, or a cast, can get wrong.
type Loose = (...given: unknown[]) => unknown;

const mistakes: readonly [string, "tool" | "resource" | "prompt", readonly unknown[]][] = [
  ["a tool without a handler", "tool", ["add", {}]],
  ["a tool whose handler is in the options", "tool", ["add", { handler: () => "x" }, undefined]],
  ["a tool without a name", "tool", [undefined, {}, () => "x"]],
  ["a resource without a handler", "resource", ["test://a", {}]],
  ["a prompt without a handler", "prompt", ["greet", {}]],
  ["a prompt without a name", "prompt", [undefined, {}, () => "x"]],
];

test.each(mistakes)("%s is refused when it is registered", (_, kind, given) => {
  const server = createServer({ name: "test", version: "1.0.0" });
  const register = server[kind].bind(server) as Loose;
  expect(() => register(...given)).toThrow(expect.objectContaining({ code: "registration" }));
});
