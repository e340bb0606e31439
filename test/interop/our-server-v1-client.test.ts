import { expect, test } from "vitest";
import { connectV1 } from "./official-v1-client.ts";
import { describeOurServer } from "./our-server/suite.ts";

describeOurServer(
  "the official SDK v1 client",
  ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"],
  (revision) => connectV1(revision),
);

test("a revision that nobody knows is answered with our newest that opens by a handshake", async () => {
  const { client, call } = await connectV1("2099-01-01");
  const { content } = await call("whoami");
  const [{ text }] = content as [{ text: string }];
  expect(JSON.parse(text).revision).toBe("2025-11-25");
  await client.close();
});
