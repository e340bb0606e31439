import type { HttpServerHandle } from "allspeak/node";
import { expect } from "vitest";
import type { RawResponse } from "../../../support/http/raw-socket.ts";
import { callNewest, toNewest } from "../../../support/http/stateless-request.ts";

/** A call in the newest revision, whole and in the parts that requests are made of. */
export const echo = toNewest("tools/call", { name: "echo", arguments: { text: "x" } });
export const text = JSON.stringify(echo.body);
export const lines = Object.entries(echo.headers)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("");
export const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${lines}`;
export const size = `Content-Length: ${text.length}\r\n`;
export const good = `${head}${size}\r\n${text}`;
export const chunk = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
export const chunked = "Transfer-Encoding: chunked\r\n";

/** The status of an ordinary call. */
export async function alive({ url }: HttpServerHandle): Promise<number> {
  return (await callNewest(url, "echo", { text: "alive" })).status;
}

/** Expects an answer in JSON-RPC, without a stack or a page. */
export function assertProper(response: RawResponse): void {
  expect(response.status).toSatisfy((status: number) => (status >= 200 && status < 500) || status === 503);
  expect(response.body).not.toMatch(/\bat .*:\d+:\d+|node_modules|<html/i);
  if (response.status >= 400) expect(JSON.parse(response.body)).toMatchObject({ jsonrpc: "2.0" });
}
