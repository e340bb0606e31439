import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";

const user = (text: string) => ({ role: "user", content: { type: "text", text } });

describeRevisions("prompts", ({ open, since }) => {
  it("are listed in the order of their registration", async () => {
    const { client } = await open();
    const names = (await client.prompts.list().all()).map(({ name }) => name);
    expect(names).toEqual(["plain", "greet", "conversation", "crash", "many", "ask-rounds"]);
  });

  it("become one message of the user when they are text", async () => {
    const { client } = await open();
    expect(await client.prompts.get("plain")).toMatchObject({
      description: "One message",
      messages: [user("Say hello.")],
    });
  });

  it("are filled in with their arguments", async () => {
    const { client } = await open();
    const { messages } = await client.prompts.get("greet", { name: "Ada", language: "norwegian" });
    expect(messages).toEqual([user("Greet Ada in norwegian.")]);
  });

  it("may leave optional arguments out", async () => {
    const { client } = await open();
    const { messages } = await client.prompts.get("greet", { name: "Ada" });
    expect(messages).toEqual([user("Greet Ada in any language.")]);
  });

  it("refuse a missing argument as invalid params that name it", async () => {
    const { client } = await open();
    await expect(client.prompts.get("greet", {})).rejects.toMatchObject({
      wireCode: -32602,
      message: expect.stringContaining("name"),
      data: { issues: [expect.objectContaining({ path: "name" })] },
    });
  });

  it("that are unknown are refused as invalid params", async () => {
    const { client, wire } = await open();
    await expect(client.prompts.get("great")).rejects.toMatchObject({ code: "rpc" });
    expect(wire.error("prompts/get")).toEqual({ code: -32602, message: "Unknown prompt: great" });
  });

  it("are described as a result only where the revision does", async () => {
    const { client, wire } = await open();
    await client.prompts.get("plain");
    expect(Object.keys(wire.result("prompts/get")).sort()).toEqual(
      since({
        "2024-11-05": ["description", "messages"],
        "2026-07-28": ["_meta", "description", "messages", "resultType"],
      }),
    );
  });
});
