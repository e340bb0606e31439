import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { expect, test } from "vitest";

test("a session may not subscribe to resources without end", async () => {
  const server = createServer({ name: "test", version: "1.0.0" });
  server.resource("test://{name}", {}, () => "x");
  const client = await connect(server, { revisions: ["2025-11-25"] });
  const subscribe = (uri: string) => client.request("resources/subscribe", { uri });

  let refused: unknown;
  for (let at = 0; at < 20_000 && refused === undefined; at++) {
    await subscribe(`test://${at}`).catch((error: unknown) => {
      refused = error;
    });
  }
  expect(refused).toMatchObject({ wireCode: -32_602 });
  await expect(subscribe("test://0")).resolves.toEqual({});
  await client.request("resources/unsubscribe", { uri: "test://0" });
  await expect(subscribe("test://another")).resolves.toEqual({});
  await expect(subscribe(`test://${"x".repeat(1_000_000)}`)).rejects.toMatchObject({ wireCode: -32_602 });
  await client.close();
});
