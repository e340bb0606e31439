import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions("resources", ({ open, since }) => {
  it("are read as text", async () => {
    const { client } = await open();
    const { contents } = await client.resources.read("fixture://notes");
    expect(contents).toEqual([{ uri: "fixture://notes", mimeType: "text/markdown", text: "# remember" }]);
  });

  it("are read as bytes", async () => {
    const { client } = await open();
    const { contents } = await client.resources.read("fixture://bytes");
    expect(contents).toEqual([
      { uri: "fixture://bytes", mimeType: "application/octet-stream", blob: "AH+A/w==" },
    ]);
  });

  it("may have several contents", async () => {
    const { client } = await open();
    const { contents } = await client.resources.read("fixture://folder");
    expect(contents).toEqual([
      { uri: "fixture://folder/a", text: "a" },
      { uri: "fixture://folder/b", mimeType: "image/png", blob: "AQID" },
    ]);
  });

  it("that are missing are refused with their URI, by the code of the revision", async () => {
    const { client, wire } = await open();
    const uri = "fixture://nowhere";
    await expect(client.resources.read(uri)).rejects.toMatchObject({ code: "rpc", data: { uri } });
    expect(wire.error("resources/read")).toEqual({
      code: since({ "2024-11-05": -32002, "2026-07-28": -32602 }),
      message: "Resource not found: fixture://nowhere",
      data: { uri },
    });
  });

  it("say how long they may be kept where the revision lets them", async () => {
    const { client, wire } = await open();
    const hints = () => {
      const { ttlMs, cacheScope } = wire.result("resources/read");
      return { ttlMs, cacheScope };
    };
    await client.resources.read("fixture://notes", { fresh: true });
    expect(hints()).toEqual(
      since<object>({ "2024-11-05": {}, "2026-07-28": { ttlMs: 60_000, cacheScope: "public" } }),
    );
    await client.resources.read("fixture://bytes", { fresh: true });
    expect(hints()).toEqual(
      since<object>({ "2024-11-05": {}, "2026-07-28": { ttlMs: 0, cacheScope: "private" } }),
    );
  });

  it("are asked for again unless they may be kept", async () => {
    const { client, wire } = await open();
    for (let time = 0; time < 2; time++) await client.resources.read("fixture://bytes");
    await client.resources.read("fixture://notes", { fresh: true });
    await client.resources.read("fixture://notes");
    const asked = wire.sent.map(({ params }) => (params as { uri: string }).uri);
    expect(asked.filter((uri) => uri === "fixture://bytes")).toHaveLength(2);
    expect(asked.filter((uri) => uri === "fixture://notes")).toHaveLength(
      since({ "2024-11-05": 2, "2026-07-28": 1 }),
    );
  });

  it("are listed, those of a template that names its own among them", async () => {
    const { client } = await open();
    const uris = (await client.resources.list().all()).map(({ uri }) => uri);
    expect(uris).toEqual([
      "fixture://notes",
      "fixture://bytes",
      "fixture://folder",
      "fixture://crash",
      "fixture://weather/Oslo/today",
    ]);
  });
});
