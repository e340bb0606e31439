import { expect, test } from "vitest";
import { RpcError } from "../../src/errors.ts";
import { createServer, type Server } from "../../src/index.ts";
import { openClient } from "../support/open-client.ts";
import { handshakeServer } from "../support/scripted-server.ts";

const uri = "file:///a";

/** A client of a server that refuses every read in its own way. */
function openRefusing(error: RpcError) {
  const script = {
    "resources/read": () => {
      throw error;
    },
  };
  return openClient(handshakeServer("2025-11-25", { capabilities: { resources: {} }, script }), {
    revisions: ["2025-11-25"],
  });
}

async function readThrough(error: RpcError, second?: Server) {
  const outer = createServer({ name: "outer", version: "1" });
  outer.mount("longest", await openRefusing(error));
  if (second) outer.mount("other", second);
  const client = await openClient(outer, { revisions: ["2026-07-28"] });
  return client.resources.read(uri);
}

const missing = [
  ["the code for it, and nothing else", new RpcError(-32002, "Resource not found")],
  ["the newest code for it, and nothing else", new RpcError(-32602, `Resource ${uri} not found`)],
  ["the newest code for it, and its URI", new RpcError(-32602, "No", { uri })],
] as const;

test.each(missing)(
  "a mount that says a resource is missing by %s leaves it to the next",
  async (_, error) => {
    const other = createServer({ name: "other", version: "1" });
    other.resource(uri, { name: "a" }, () => "alpha");
    expect((await readThrough(error, other)).contents).toMatchObject([{ text: "alpha" }]);
  },
);

test.each(missing)("a resource that no mount has is missing, said by %s", async (_, error) => {
  await expect(readThrough(error)).rejects.toMatchObject({ wireCode: -32602 });
  const empty = createServer({ name: "other", version: "1" });
  empty.resource("file:///b", { name: "b" }, () => "beta");
  await expect(readThrough(error, empty)).rejects.toMatchObject({ wireCode: -32602 });
});

test("a mount that fails to read a resource is not passed over", async () => {
  const other = createServer({ name: "other", version: "1" });
  other.resource(uri, { name: "a" }, () => "alpha");
  const reading = readThrough(new RpcError(-32000, "The disk is on fire"), other);
  await expect(reading).rejects.toMatchObject({ wireCode: -32000, message: "The disk is on fire" });
});
