import { expect, test } from "vitest";
import type { Talk } from "./talk.ts";

export function testResources({ official, client }: Talk): void {
  test("our client lists resources and templates", async () => {
    expect(await client().resources.list().all()).toEqual([
      {
        uri: "fixture://notes",
        name: "notes",
        title: "Notes",
        description: "Things to remember",
        mimeType: "text/plain",
      },
      { uri: "fixture://bytes", name: "bytes", mimeType: "image/png" },
      { uri: "fixture://weather/Oslo", name: "Oslo", mimeType: "text/plain" },
    ]);
    expect(await client().resources.templates().all()).toEqual([
      { name: "weather", uriTemplate: "fixture://weather/{city}", mimeType: "text/plain" },
    ]);
  });

  test("our client reads text, bytes, and what a template matches", async () => {
    const read = async (uri: string) => (await client().resources.read(uri)).contents;
    expect(await read("fixture://notes")).toEqual([
      { uri: "fixture://notes", mimeType: "text/plain", text: "remember" },
    ]);
    expect(await read("fixture://bytes")).toEqual([
      { uri: "fixture://bytes", mimeType: "image/png", blob: "AQID" },
    ]);
    expect(await read("fixture://weather/Bergen")).toEqual([
      { uri: "fixture://weather/Bergen", text: "Sunny in Bergen" },
    ]);
  });

  test("a resource that is not there is an error", async () => {
    // The older revisions have a code of their own for this, which the official servers do not send.
    await expect(client().resources.read("fixture://nothing")).rejects.toMatchObject({
      code: "rpc",
      wireCode: -32602,
      message: expect.stringContaining("fixture://nothing"),
      data: official.missingResourceData,
    });
  });

  test("variables of a template are completed", async () => {
    const ref = { type: "ref/resource", uri: "fixture://weather/{city}" } as const;
    expect(await client().complete(ref, { name: "city", value: "Os" })).toEqual({
      values: ["Oslo", "Osaka"],
      total: 2,
      hasMore: false,
    });
  });
}
