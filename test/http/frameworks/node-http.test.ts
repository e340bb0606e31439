import { once } from "node:events";
import { createServer as createHttp, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "allspeak";
import { createNodeHandler } from "allspeak/node";
import { expect, it, onTestFinished } from "vitest";

it("reports a first request that can't be handled as such, and answers 500", async () => {
  const reports: string[] = [];
  const log = ({ message }: { readonly message: string }) => void reports.push(message);
  const server = createServer({ name: "test", version: "1.0.0", log });
  const http = createHttp((_, response) => {
    const handler = createNodeHandler(server);
    onTestFinished(() => handler.close(0));
    // A wrapper that is no request.
    handler({} as IncomingMessage, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => void http.close());
  const response = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  expect(response.status).toBe(500);
  expect(reports).toEqual(["A request could not be handled"]);
});
