import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpServerHandle, serveHttp } from "../../../../src/node.ts";
import { createFixture } from "../../../support/http/fixture.ts";
import { RawSocket, toRequestText, toResponses } from "../../../support/http/raw-socket.ts";
import { toNewest } from "../../../support/http/stateless-request.ts";

describe("serveHttp", () => {
  const fixture = createFixture();
  let running: HttpServerHandle;
  beforeAll(async () => {
    running = await serveHttp(fixture.server);
  });
  afterAll(() => running.close(0));

  it("answers a request without a Host with a refusal in JSON-RPC", async () => {
    const raw = new RawSocket(running.port).write(
      "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
    );
    const [response] = toResponses(await raw.end());
    expect(response?.status).toBe(403);
    expect(JSON.parse(response?.body ?? "")).toMatchObject({ error: { code: -32600 } });
  });

  it("answers an expectation that it can't meet in JSON-RPC", async () => {
    const raw = new RawSocket(running.port).write(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: a-miracle\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
    );
    const [response] = toResponses(await raw.end());
    expect(response?.status).toBe(417);
    expect(JSON.parse(response?.body ?? "")).toMatchObject({ error: { code: -32600 } });
  });

  it("refuses a request that names two hosts", async () => {
    const raw = new RawSocket(running.port).write(
      "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    );
    const [response] = toResponses(await raw.end());
    expect(response?.status).toBe(403);
  });

  it("does not overlook an origin behind thousands of other headers", async () => {
    const raw = new RawSocket(running.port).write(
      `OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\n${"a:\r\n".repeat(2500)}Origin: http://evil.example\r\nConnection: close\r\n\r\n`,
    );
    const [response] = toResponses(await raw.end());
    expect(response?.status).toBe(403);
  });

  it("never writes a second answer into a stream when what follows on the connection is no HTTP", async () => {
    const params = { name: "wait", arguments: { name: "stream", talk: true } };
    const request = toNewest("tools/call", params, { meta: { progressToken: 1 } });
    const raw = new RawSocket(running.port).write(toRequestText(request));
    await raw.until((seen) => seen.includes("notifications/progress"));
    raw.write("this is no HTTP\r\n\r\n");
    expect((await raw.end()).split("HTTP/1.1 ")).toHaveLength(2);
    expect(await fixture.aborted.next()).toBe("stream");
  });
});
