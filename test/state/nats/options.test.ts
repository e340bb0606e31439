import { UsageError } from "allspeak";
import { nats } from "allspeak/state/nats";
import { expect, it } from "vitest";

it.each([
  ["http://127.0.0.1:4222", "nats takes a URL"],
  ["127.0.0.1:4222", "nats takes a URL"],
  ["nats://a:4222,b", "nats takes a URL"],
  ["", "nats takes a URL"],
  [{ publish() {} }, "nats takes a URL"],
  [undefined, "nats takes a URL"],
])("%j is refused as a server", (server, message) => {
  expect(() => nats(server as string)).toThrow(UsageError);
  expect(() => nats(server as string)).toThrow(message);
});

it.each([
  [{ prefix: "a.b" }, 'the option "prefix" takes letters, digits'],
  [{ prefix: "" }, 'the option "prefix" takes letters, digits'],
  [{ maxEvents: 0 }, 'the option "maxEvents" must be a number greater than 0'],
  [{ storage: "disk" }, 'the option "storage" must be "file" or "memory"'],
  [{ durability: "some" }, 'the option "durability" must be "none" or'],
  [{ prefx: "a" }, 'has no option "prefx"; did you mean "prefix"?'],
])("the options %j are refused", (options, message) => {
  expect(() => nats("nats://127.0.0.1:4222", options as object)).toThrow(message);
});
