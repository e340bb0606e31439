import { createServer } from "allspeak";
import { createFetchHandler } from "allspeak/http";
import { expect, it } from "vitest";

const server = createServer({ name: "s", version: "1" });

it.each([
  [{ rules: [{ call: 5 }] }, /no option "call"/],
  [{ rules: [{ calls: 5, by: "adress" }] }, /by/],
  [{ anonymous: { callls: 5 } }, /callls/],
])("a limit that is misspelled is an error: %j", (limits, message) => {
  expect(() => createFetchHandler(server, { limits: limits as object })).toThrow(message);
});
