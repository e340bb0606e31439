import { createServer, RegistrationError, ResourceNotFoundError, resource } from "allspeak";
import { describe, expect, it } from "vitest";
import { alone, openRaw } from "../support/raw-client.ts";

const make = (options = {}) => createServer({ name: "s", version: "1", log: () => {}, ...options });

describe("resources", () => {
  const read = (server: ReturnType<typeof make>, uri: string) =>
    openRaw(server).result("resources/read", alone({ uri }));

  it.each([
    ["text", "hello", { text: "hello", mimeType: "text/plain" }],
    ["bytes", new Uint8Array([1, 2, 255]), { blob: "AQL/" }],
    ["contents", { uri: "test://other", text: "x" }, { uri: "test://other", text: "x" }],
    ["a list", ["a", "b"], { text: "a" }],
    ["a whole result", { contents: [{ uri: "test://r", text: "y" }], ttlMs: 7 }, { text: "y" }],
  ])("may be given as %s", async (_, returned, contents) => {
    const server = make({ resources: [resource("test://r", {}, () => returned as string)] });
    expect(await read(server, "test://r")).toMatchObject({
      contents: expect.arrayContaining([expect.objectContaining(contents)]),
    });
  });

  it("are kept by nobody unless the author says so", async () => {
    const server = make({
      resources: [
        resource("test://a", {}, () => ""),
        resource("test://b", { ttlMs: 5000, cacheScope: "public", mimeType: "text/html" }, () => "<p>"),
      ],
    });
    expect(await read(server, "test://a")).toMatchObject({ ttlMs: 0, cacheScope: "private" });
    expect(await read(server, "test://b")).toMatchObject({
      ttlMs: 5000,
      cacheScope: "public",
      contents: [{ uri: "test://b", mimeType: "text/html", text: "<p>" }],
    });
  });

  it("that ask for more have no cache hints until they are complete", async () => {
    const form = { type: "object", properties: {} } as const;
    const options = { ttlMs: 5000, cacheScope: "public" } as const;
    const asking = resource("test://a", options, async (_, ctx) => (await ctx.elicit("Sure?", form)).action);
    const client = openRaw(make({ resources: [asking] }));
    const asked = await client.result("resources/read", alone({ uri: "test://a" }, { elicitation: {} }));
    expect(asked).toMatchObject({ resultType: "input_required" });
    for (const hint of ["ttlMs", "cacheScope"]) expect(asked).not.toHaveProperty(hint);
  });

  it("of a template get their variables, decoded once, and the URI", async () => {
    const server = make({
      resources: [
        resource(
          "test://{name}/data",
          {},
          ({ name }, ctx) => `${name} at ${ctx.uri} by ${ctx.client.info?.name}`,
        ),
      ],
    });
    expect(await read(server, "test://a%2525b/data")).toMatchObject({
      contents: [{ text: "a%25b at test://a%2525b/data by raw" }],
    });
  });

  it("a fixed URI goes before a template, and an earlier template before a later one", async () => {
    const server = make({
      resources: [
        resource("test://{first}", {}, () => "first"),
        resource("test://{second}", {}, () => "second"),
        resource("test://fixed", {}, () => "fixed"),
      ],
    });
    expect(await read(server, "test://fixed")).toMatchObject({ contents: [{ text: "fixed" }] });
    expect(await read(server, "test://other")).toMatchObject({ contents: [{ text: "first" }] });
  });

  it.each(["test://files/..%2f..%2fetc", "test://files/%2e%2e", "test://files/a/../b", "test://nowhere"])(
    "%s is unknown",
    async (uri) => {
      const server = make({ resources: [resource("test://files/{name}", {}, ({ name }) => name)] });
      await expect(read(server, uri)).rejects.toMatchObject({ code: -32602, data: { uri } });
      const older = openRaw(server);
      await older.initialize("2025-11-25");
      await expect(older.result("resources/read", { uri })).rejects.toMatchObject({
        code: -32002,
        data: { uri },
      });
    },
  );

  it("that a handler does not find are missing in the words of the revision", async () => {
    const server = make({
      resources: [
        resource("test://{id}", {}, (_, ctx) => {
          throw new ResourceNotFoundError(ctx.uri);
        }),
      ],
    });
    const missing = { data: { uri: "test://x" } };
    await expect(read(server, "test://x")).rejects.toMatchObject({ code: -32602, ...missing });
    const older = openRaw(server);
    await older.initialize("2025-06-18");
    await expect(older.result("resources/read", { uri: "test://x" })).rejects.toMatchObject({
      code: -32002,
      ...missing,
    });
  });

  it("can be said to be others than before", async () => {
    let names = ["a"];
    const list = () => names.map((name) => ({ uri: `test://${name}`, name }));
    const server = make({ resources: [resource("test://{id}", { list }, () => "")] });
    const client = openRaw(server);
    await client.initialize();
    await client.settle();
    names = ["b"];
    server.resources.changed();
    await client.until(({ method }) => method === "notifications/resources/list_changed");
    expect(await client.result("resources/list")).toMatchObject({ resources: [{ name: "b" }] });
  });

  it("that a template stands for are listed when it can list them", async () => {
    const list = () => [{ uri: "test://x", name: "x" }];
    const server = make({ resources: [resource("test://{id}", { name: "by id", list }, () => "")] });
    const client = openRaw(server);
    expect(await client.result("resources/list", alone())).toMatchObject({
      resources: [{ uri: "test://x" }],
    });
    expect(await client.result("resources/templates/list", alone())).toMatchObject({
      resourceTemplates: [{ uriTemplate: "test://{id}", name: "by id" }],
    });
  });

  it("need a whole URI, or a template that can be read", () => {
    expect(() => make({ resources: [resource("notes.txt", {}, () => "")] })).toThrow(
      /"notes.txt" is not a URI or template such as note:/,
    );
    expect(() => make({ resources: [resource("test://{", {}, () => "")] })).toThrow(RegistrationError);
  });

  it.each([
    "db://local/:memory:",
    "sqlite:///:memory:",
    "redis://:secret@host",
    `price://usd\${amount}`,
    "urn:isbn:1:2",
  ])("may have the URI %s", (uri) => {
    expect(() => make({ resources: [resource(uri, {}, () => "")] })).not.toThrow();
  });

  it("tell of updates to those who subscribed, while they do", async () => {
    const server = make({ resources: [resource("test://r", {}, () => "")] });
    const client = openRaw(server);
    await client.initialize("2025-06-18");
    const updates = () =>
      client.heard.filter(({ method }) => method === "notifications/resources/updated").length;
    void server.resources.updated("test://r");
    await client.settle();
    expect(updates()).toBe(0);
    expect(await client.result("resources/subscribe", { uri: "test://r" })).toEqual({});
    void server.resources.updated("test://r");
    void server.resources.updated("test://another");
    await client.settle();
    expect(updates()).toBe(1);
    await client.result("resources/unsubscribe", { uri: "test://r" });
    void server.resources.updated("test://r");
    await client.settle();
    expect(updates()).toBe(1);
  });
});
