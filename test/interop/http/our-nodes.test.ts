import {
  StreamableHTTPClientTransport as HttpV2,
  SSEClientTransport as SseV2,
} from "@modelcontextprotocol/client";
import { SSEClientTransport as SseV1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { connectV1 } from "../official-v1-client.ts";
import { connectV2, pin } from "../official-v2-client.ts";
import { describeOurServer } from "../our-server/suite.ts";
import { withNodes } from "./serving.ts";

const handshaking = ["2025-03-26", "2025-06-18", "2025-11-25"];

describeOurServer(
  "the official SDK v1 client, through a balancer, with three nodes",
  handshaking,
  (revision) => withNodes((url) => connectV1(revision, new HttpV1(url) as unknown as Transport)),
);

describeOurServer("the official SDK v1 client over HTTP+SSE, with three nodes", ["2024-11-05"], (revision) =>
  withNodes((url) => connectV1(revision, new SseV1(new URL("/sse", url)))),
);

describeOurServer(
  "the official SDK v2 client, through a balancer, with three nodes",
  [...handshaking, "2026-07-28"],
  (revision) => withNodes((url) => connectV2(pin(revision), new HttpV2(url))),
);

describeOurServer("the official SDK v2 client over HTTP+SSE, with three nodes", ["2024-11-05"], (revision) =>
  withNodes((url) => connectV2(pin(revision), new SseV2(new URL("/sse", url)))),
);
