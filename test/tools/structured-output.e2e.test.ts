import { expect, it } from "vitest";
import { readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions("structured output", ({ open, since }) => {
  it("comes with a text twin, and alone as text where the revision has no structure", async () => {
    const { client } = await open();
    const result = await client.tools.call("add", { a: 1, b: 2 });
    expect(result.content).toEqual([{ type: "text", text: '{"sum":3}' }]);
    expect(result.structuredContent).toEqual(
      since<unknown>({ "2024-11-05": undefined, "2025-06-18": { sum: 3 } }),
    );
  });

  it("is promised by a schema where the revision has a place for it", async () => {
    const { client } = await open();
    const tools = await client.tools.list().all();
    const schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
    const promised = tools.find(({ name }) => name === "add")?.outputSchema;
    expect(promised).toEqual(
      since<unknown>({ "2024-11-05": undefined, "2025-06-18": expect.objectContaining(schema) }),
    );
  });

  it("may be something else than an object only in the newest revision", async () => {
    const { client } = await open();
    const tools = await client.tools.list().all();
    const result = await client.tools.call("countdown", { from: 3 });
    expect(readText(result)).toBe("[3,2,1]");
    expect(result.structuredContent).toEqual(
      since<unknown>({ "2024-11-05": undefined, "2026-07-28": [3, 2, 1] }),
    );
    expect(tools.find(({ name }) => name === "countdown")?.outputSchema).toEqual(
      since<unknown>({ "2024-11-05": undefined, "2026-07-28": { type: "array", items: { type: "number" } } }),
    );
  });

  it("that breaks the tool's promise is an internal error, explained only in the server's log", async () => {
    const { client } = await open();
    const result = await client.tools.call("wrong-output");
    expect(result).toMatchObject({ isError: true });
    expect(result.structuredContent).toBeUndefined();
    expect(readText(result)).toMatch(/^Internal error \(ref \w+\)$/);
    const log = readText(await client.tools.call("server-log"));
    expect(log).toContain("wrong-output");
    expect(log).toContain("output schema does not allow");
  });
});
