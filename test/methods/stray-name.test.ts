import { type AuditEntry, audit, createServer, resource } from "allspeak";
import { expect, test } from "vitest";
import { sendTo } from "../support/manual-rounds.ts";

const word = { type: "object", properties: { word: { type: "string" } } } as const;

test("a name that resources/read does not have hides no URI in the audit log", async () => {
  const entries: AuditEntry[] = [];
  const secret = resource("test:secret", { name: "secret" }, () => "s");
  const server = createServer({ name: "s", version: "1", resources: [secret] });
  server.use(audit((entry) => entries.push(entry)));
  await sendTo(server, "resources/read", { uri: "test:secret", name: "harmless" });
  expect(entries).toMatchObject([{ method: "resources/read", target: "test:secret", outcome: "ok" }]);
});

test("state that was sealed for one resource is of no use for another, whatever else the params hold", async () => {
  const template = resource("test:{id}", { name: "asks" }, async ({ id }, ctx) => {
    const secret = await ctx.once("read", () => `the secret of ${id}`);
    await ctx.elicit("sure", "Sure?", word);
    return secret;
  });
  const server = createServer({ name: "s", version: "1", resources: [template] });
  const first = await sendTo(server, "resources/read", { uri: "test:a", name: "x" });
  expect(first.result.resultType).toBe("input_required");
  const round = {
    name: "x",
    inputResponses: { sure: { action: "accept", content: {} } },
    requestState: first.result.requestState,
  };
  const other = await sendTo(server, "resources/read", { uri: "test:b", ...round });
  expect(other.error).toMatchObject({ code: -32602 });
  const same = await sendTo(server, "resources/read", { uri: "test:a", ...round });
  expect(same.result.contents[0].text).toBe("the secret of a");
});
