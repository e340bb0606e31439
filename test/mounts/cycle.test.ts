import { createServer, RegistrationError } from "allspeak";
import { expect, test } from "vitest";
import { alone, openRaw } from "../support/raw-client.ts";

const make = (name: string) => createServer({ name, version: "1" });

test("a server is not mounted in one that it has mounted, however far down", async () => {
  const [outer, between, inner] = [make("outer"), make("between"), make("inner")];
  inner.tool("where", {}, () => "inside");
  outer.mount("b", between);
  const mount = between.mount("i", inner);
  expect(() => inner.mount("o", outer)).toThrow(RegistrationError);
  expect(() => between.mount("o", outer)).toThrow(/in itself/);
  expect(() => outer.mount("o", outer)).toThrow(/in itself/);
  expect(await openRaw(outer).result("tools/call", alone({ name: "b_i_where" }))).toMatchObject({
    content: [{ text: "inside" }],
  });
  mount.remove();
  inner.mount("b", between);
});

test("one server may be mounted twice", async () => {
  const [outer, inner] = [make("outer"), make("inner")];
  inner.tool("where", {}, () => "inside");
  outer.mount("a", inner);
  outer.mount("b", inner);
  const { tools } = await openRaw(outer).result("tools/list", alone());
  expect(tools).toMatchObject([{ name: "a_where" }, { name: "b_where" }]);
});
