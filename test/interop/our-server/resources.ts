import { expect, test } from "vitest";
import type { Talk } from "./talk.ts";

export function testResources({ since, official }: Talk): void {
  test("the client lists resources, those that a template names among them", async () => {
    expect(await official().all("resources/list")).toEqual([
      {
        uri: "fixture://notes",
        name: "notes",
        description: "Things to remember",
        mimeType: "text/plain",
        ...(since("2025-06-18") && { title: "Notes" }),
      },
      { uri: "fixture://bytes", name: "bytes", mimeType: "application/octet-stream" },
      { uri: "fixture://weather/Oslo", name: "Oslo" },
    ]);
    expect(await official().all("resources/templates/list")).toEqual([
      { uriTemplate: "fixture://weather/{city}", name: "weather", mimeType: "text/plain" },
    ]);
  });

  test("the client reads text, bytes, and what a template matches", async () => {
    const { client } = official();
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    expect(await read("fixture://notes")).toEqual([
      { uri: "fixture://notes", mimeType: "text/plain", text: "remember" },
    ]);
    expect(await read("fixture://bytes")).toEqual([
      { uri: "fixture://bytes", mimeType: "application/octet-stream", blob: "AQID" },
    ]);
    expect(await read("fixture://weather/S%C3%B8r-Varanger")).toEqual([
      { uri: "fixture://weather/S%C3%B8r-Varanger", mimeType: "text/plain", text: "Sunny in Sør-Varanger" },
    ]);
  });

  test("a resource that is not there is an error with the revision's code", async () => {
    const { client, missingResourceCode } = official();
    await expect(client.readResource({ uri: "fixture://nothing" })).rejects.toMatchObject({
      code: missingResourceCode ?? (since("2026-07-28") ? -32602 : -32002),
      data: { uri: "fixture://nothing" },
    });
  });

  test("variables of a template are completed", async () => {
    const { completion } = await official().client.complete({
      ref: { type: "ref/resource", uri: "fixture://weather/{city}" },
      argument: { name: "city", value: "Os" },
    });
    expect(completion).toEqual({ values: ["Oslo", "Osaka"], total: 2, hasMore: false });
  });
}
