import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { connectV2, pin } from "../official-v2-client.ts";
import { describeOurServer } from "../our-server/suite.ts";
import { withServer } from "./serving.ts";

const handshaking = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

describeOurServer(
  "the official SDK v2 client over Streamable HTTP",
  [...handshaking, "2026-07-28"],
  (revision) => withServer((url) => connectV2(pin(revision), new StreamableHTTPClientTransport(url))),
);

describeOurServer("the official SDK v2 client over HTTP+SSE", handshaking, (revision) =>
  withServer((url) => connectV2(pin(revision), new SSEClientTransport(new URL("/sse", url)))),
);

test("the official SDK v2 client that probes finds the newest revision", async () => {
  const { client, call } = await withServer((url) =>
    connectV2({ versionNegotiation: { mode: "auto" } }, new StreamableHTTPClientTransport(url)),
  );
  const { content } = await call("whoami");
  const [{ text }] = content as [{ text: string }];
  expect(JSON.parse(text).revision).toBe("2026-07-28");
  await client.close();
});
