import { expect, it } from "vitest";
import { describeRevisions, type Opened } from "../matrix/revisions.ts";

async function read({ client }: Opened, uri: string): Promise<unknown> {
  const { contents } = await client.resources.read(uri);
  const [first] = contents;
  return first && "text" in first ? first.text : undefined;
}

describeRevisions("resource templates", ({ open, since }) => {
  it("are listed beside the resources", async () => {
    const { client } = await open();
    const templates = (await client.resources.templates().all()).map(({ uriTemplate }) => uriTemplate);
    expect(templates).toEqual(["fixture://weather/{city}/{day}", "fixture://search{?q,limit}"]);
  });

  it("give their variables to the handler, decoded once", async () => {
    const uri = "fixture://weather/S%C3%A3o%20Paulo%2541/today";
    const answer = JSON.parse(String(await read(await open(), uri)));
    expect(answer).toEqual({ city: "São Paulo%41", day: "today", uri });
  });

  it("match query variables, each of which may be absent", async () => {
    const opened = await open();
    expect(await read(opened, "fixture://search?q=rain&limit=3")).toBe("q=rain limit=3");
    expect(await read(opened, "fixture://search?limit=3")).toBe("q= limit=3");
    expect(await read(opened, "fixture://search")).toBe("q= limit=");
  });

  it.each([
    "fixture://weather/../today",
    "fixture://weather/%2E%2E/today",
    "fixture://weather/..%2F..%2Fetc/today",
    "fixture://weather/a%2Fb/today",
    "fixture://weather/Oslo%00/today",
    "fixture://weather/Oslo",
  ])("do not match %s", async (uri) => {
    const { client } = await open();
    await expect(client.resources.read(uri)).rejects.toMatchObject({
      code: "rpc",
      wireCode: since({ "2024-11-05": -32002, "2026-07-28": -32602 }),
      data: { uri },
    });
  });
});
