import type { ConsentRequest } from "allspeak/client";
import { expect, it } from "vitest";
import { readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions("a connection", ({ open }) => {
  it("calls no tool that the host does not consent to", async () => {
    const asked: ConsentRequest[] = [];
    const { client, wire } = await open({
      consent: (request) => {
        asked.push(request);
        return request.name !== "add";
      },
    });
    const tools = await client.tools.list().all();
    expect(readText(await client.tools.call("echo", { text: "yes" }))).toBe("yes");
    wire.clear();
    await expect(client.tools.call("add", { a: 1, b: 2 })).rejects.toMatchObject({ code: "consent-refused" });
    expect(wire.sent).toEqual([]);
    expect(asked).toMatchObject([
      { name: "echo", arguments: { text: "yes" }, server: { name: "fixture" } },
      { name: "add", arguments: { a: 1, b: 2 }, tool: tools.find(({ name }) => name === "add") },
    ]);
  });
});
