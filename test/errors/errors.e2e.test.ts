import { expect, it } from "vitest";
import { readJson, readText } from "../matrix/read-text.ts";
import { describeRevisions, type Opened } from "../matrix/revisions.ts";
import { allowViolations } from "../support/wire-schema/wire-check.ts";

const secret = "the password is hunter2";

interface LogEntry {
  readonly ref: string;
  readonly cause: unknown;
}

/** Expects that the log has, under the reference in a masked text, what was masked. */
async function expectLogged({ client }: Opened, text: string): Promise<void> {
  const [, ref] = /^Internal error \(ref (\w+)\)$/.exec(text) ?? [];
  expect(ref, text).toBeDefined();
  const { entries } = readJson(await client.tools.call("server-log")) as { entries: LogEntry[] };
  expect(entries.find((entry) => entry.ref === ref)).toMatchObject({ cause: secret });
}

describeRevisions("errors", ({ open, since }) => {
  it("that a tool throws for the model are what the model reads", async () => {
    const { client } = await open();
    expect(await client.tools.call("fail")).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "There is no station near the North Pole." }],
    });
  });

  it("that a tool throws by accident are masked, and found in the log by their reference", async () => {
    const opened = await open();
    const result = await opened.client.tools.call("crash");
    expect(result.isError).toBe(true);
    await expectLogged(opened, readText(result));
  });

  it("that a resource throws by accident are masked too", async () => {
    const opened = await open();
    await expect(opened.client.resources.read("fixture://crash")).rejects.toMatchObject({ wireCode: -32603 });
    await expectLogged(opened, String(opened.wire.error("resources/read").message));
  });

  it("that a prompt throws by accident are masked too", async () => {
    const opened = await open();
    await expect(opened.client.prompts.get("crash")).rejects.toMatchObject({ wireCode: -32603 });
    await expectLogged(opened, String(opened.wire.error("prompts/get").message));
  });

  it.each([
    ["tools/call", { name: 7 }],
    ["tools/call", { name: "echo", arguments: "text" }],
    ["resources/read", {}],
    ["prompts/get", { name: "greet", arguments: { name: 7 } }],
    ["completion/complete", { ref: { type: "ref/nothing" }, argument: { name: "a", value: "" } }],
  ])("answer %s with params that are none", async (method, params) => {
    const { client } = await open();
    await expect(client.request(method, params)).rejects.toMatchObject({ wireCode: -32602 });
    allowViolations("the params are wrong on purpose", /what the client sent/);
  });

  it("tell of methods that only other revisions have, before anything is sent", async () => {
    const { client, wire } = await open();
    const method = since({ "2024-11-05": "server/discover", "2026-07-28": "ping" });
    await expect(client.request(method)).rejects.toMatchObject({ code: "not-in-revision" });
    expect(wire.sent).toEqual([]);
  });
});
