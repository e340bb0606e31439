import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { connectV1 } from "../official-v1-client.ts";
import { describeOurServer } from "../our-server/suite.ts";
import { withServer } from "./serving.ts";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

describeOurServer("the official SDK v1 client over Streamable HTTP", revisions, (revision) =>
  withServer((url) => connectV1(revision, new StreamableHTTPClientTransport(url) as unknown as Transport)),
);

describeOurServer("the official SDK v1 client over HTTP+SSE", revisions, (revision) =>
  withServer((url) => connectV1(revision, new SSEClientTransport(new URL("/sse", url)))),
);
