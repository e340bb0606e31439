import { expect, it } from "vitest";
import { describeRevisions } from "../matrix/revisions.ts";
import { allowViolations } from "../support/wire-schema/wire-check.ts";

const prompt = (name: string) => ({ type: "ref/prompt" as const, name });
const template = { type: "ref/resource" as const, uri: "fixture://weather/{city}/{day}" };

describeRevisions("completion", ({ open, since }) => {
  it("is a declared capability from the revision on that has it", async () => {
    const { client } = await open();
    expect(client.server.capabilities.completions).toEqual(
      since<unknown>({ "2024-11-05": undefined, "2025-03-26": {} }),
    );
  });

  it("suggests values for a prompt's argument", async () => {
    const { client } = await open();
    const completion = await client.complete(prompt("greet"), { name: "language", value: "e" });
    expect(completion).toEqual({ values: ["english", "esperanto"], total: 2, hasMore: false });
  });

  it("suggests values for a template's variable", async () => {
    const { client } = await open();
    const completion = await client.complete(template, { name: "city", value: "Os" });
    expect(completion.values).toEqual(["Oslo", "Osaka"]);
  });

  it("knows the arguments that are filled in already, where the revision sends them", async () => {
    const { client, wire } = await open();
    const context = { arguments: { city: "Oslo" } };
    const completion = await client.complete(template, { name: "day", value: "" }, context);
    expect(completion.values).toEqual(
      since({ "2024-11-05": ["somewhere-today"], "2025-06-18": ["Oslo-today"] }),
    );
    const { params } = wire.lastSent("completion/complete");
    expect("context" in (params as object)).toBe(since({ "2024-11-05": false, "2025-06-18": true }));
  });

  it("passes the server's own count on", async () => {
    const { client } = await open();
    const completion = await client.complete(prompt("greet"), { name: "name", value: "" });
    expect(completion).toEqual({ values: ["any name"], total: 7, hasMore: true });
  });

  it("never sends more than a hundred values", async () => {
    const { client } = await open();
    const completion = await client.complete(prompt("many"), { name: "number", value: "" });
    expect(completion).toMatchObject({ total: 150, hasMore: true });
    expect(completion.values).toHaveLength(100);
  });

  it("has nothing to suggest for an argument without suggestions", async () => {
    const { client } = await open();
    const completion = await client.complete(prompt("plain"), { name: "anything", value: "" });
    expect(completion).toEqual({ values: [], total: 0, hasMore: false });
  });

  it("of something unknown is refused as invalid params", async () => {
    const { client } = await open();
    const argument = { name: "name", value: "" };
    await expect(client.complete(prompt("nobody"), argument)).rejects.toMatchObject({ wireCode: -32602 });
  });

  it("refuses a reference with the kinds that there are, or the member that its kind lacks", async () => {
    const { client } = await open();
    const complete = (ref: object) => client.complete(ref as never, { name: "language", value: "e" });
    await expect(complete({ type: "ref/tool" })).rejects.toThrow(
      "ref.type must be one of ref/prompt, ref/resource.",
    );
    await expect(complete({ type: "ref/prompt" })).rejects.toThrow("ref.name must be a string.");
    await expect(complete({ type: "ref/resource" })).rejects.toThrow("ref.uri must be a string.");
    allowViolations("the references are wrong on purpose", /"method":"completion\/complete"/);
  });
});
