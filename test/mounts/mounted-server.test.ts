import { createServer, RegistrationError, resource } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw, type Wire } from "../support/raw-client.ts";

const make = (options = {}) => createServer({ name: "s", version: "1", log: () => {}, ...options });

describe("a mounted server", () => {
  function pair() {
    const inner = make({ resources: [resource("inner://r", {}, () => "from inside")] });
    inner.tool("where", {}, (_, ctx) => `inside for ${ctx.client.info?.name}`);
    inner.prompt(
      "ask",
      { args: { type: "object", properties: { a: { type: "string" } } }, complete: { a: () => ["b"] } },
      () => "inner prompt",
    );
    const outer = make();
    outer.tool("own", {}, () => "outside");
    const registration = outer.mount("maps", inner);
    return { inner, outer, registration };
  }

  it("offers its tools and prompts under a prefix, its resources under their own URIs", async () => {
    const { outer } = pair();
    const client = openRaw(outer);
    const names = ((await client.result("tools/list", alone())).tools as Wire[]).map(({ name }) => name);
    expect(names).toEqual(["own", "maps_where"]);
    expect(await client.result("tools/call", alone({ name: "maps_where" }))).toMatchObject({
      content: [{ text: "inside for raw" }],
    });
    expect(await client.result("prompts/get", alone({ name: "maps_ask" }))).toMatchObject({
      messages: [{ content: { text: "inner prompt" } }],
    });
    expect(await client.result("resources/read", alone({ uri: "inner://r" }))).toMatchObject({
      contents: [{ text: "from inside" }],
    });
    const ref = { type: "ref/prompt", name: "maps_ask" };
    expect(
      await client.result("completion/complete", alone({ ref, argument: { name: "a", value: "" } })),
    ).toMatchObject({
      completion: { values: ["b"] },
    });
  });

  it("keeps what is unknown unknown", async () => {
    const client = openRaw(pair().outer);
    await expect(client.result("tools/call", alone({ name: "maps_nope" }))).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.result("tools/call", alone({ name: "where" }))).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.result("resources/read", alone({ uri: "inner://x" }))).rejects.toMatchObject({
      code: -32602,
      data: { uri: "inner://x" },
    });
  });

  it("tells of its changes, until it is taken away", async () => {
    const { inner, outer, registration } = pair();
    const client = openRaw(outer);
    await client.initialize();
    await client.settle();
    const told = () =>
      client.heard.filter(({ method }) => method === "notifications/tools/list_changed").length;
    inner.tool("late", {}, () => "");
    await client.settle();
    expect(told()).toBe(1);
    registration.remove();
    await client.settle();
    expect(told()).toBe(2);
    inner.tool("later", {}, () => "");
    await client.settle();
    expect(told()).toBe(2);
    expect(((await client.result("tools/list")).tools as Wire[]).map(({ name }) => name)).toEqual(["own"]);
  });

  it("is paged together with the rest", async () => {
    const inner = make({ pageSize: 1 });
    for (const name of ["a", "b", "c"]) inner.tool(name, {}, () => "");
    const outer = make({ pageSize: 2 });
    outer.mount("in", inner);
    outer.tool("own", {}, () => "");
    const client = openRaw(outer);
    const names: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await client.result("tools/list", alone(cursor === undefined ? {} : { cursor }));
      names.push(...(page.tools as Wire[]).map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(["in_a", "in_b", "in_c", "own"]);
  });

  it("is called by every name that is listed, however prefixes overlap", async () => {
    const server = make();
    for (const prefix of ["", "a", "a_b"]) {
      const inner = make();
      inner.tool("where", {}, () => prefix);
      if (prefix === "a") inner.tool("b_there", {}, () => "there");
      server.mount(prefix, inner);
    }
    const client = openRaw(server);
    const call = (name: string) => client.result("tools/call", alone({ name }));
    expect(await call("a_b_where")).toMatchObject({ content: [{ text: "a_b" }] });
    expect(await call("a_b_there")).toMatchObject({ content: [{ text: "there" }] });
    expect(await call("a_where")).toMatchObject({ content: [{ text: "a" }] });
    expect(await call("where")).toMatchObject({ content: [{ text: "" }] });
  });

  it("needs a prefix of its own that fits in names", () => {
    const { inner, outer } = pair();
    expect(() => outer.mount("maps", inner)).toThrow(RegistrationError);
    expect(() => outer.mount("a b", inner)).toThrow(RegistrationError);
    expect(() => outer.mount("self", outer)).toThrow(/in itself/);
  });
});
