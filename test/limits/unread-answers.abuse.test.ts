import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createServer } from "allspeak";
import { createNodeHandler } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { toRequestText } from "../support/http/raw-socket.ts";
import { callNewest, toNewest } from "../support/http/stateless-request.ts";
import { Queue } from "../support/queue.ts";

const MiB = 1024 ** 2;
/** More than the operating system takes for a reader that takes nothing. */
const large = "x".repeat(16 * MiB);
const attacker = "203.0.113.66";
const neighbour = "203.0.113.1";
const from = (address: string) => ({ "x-forwarded-for": address });

async function serve(maxUnfinishedBytes: number) {
  const server = createServer({ name: "s", version: "1" });
  server.tool("whole", {}, () => large);
  server.tool("streamed", {}, async (_, ctx) => {
    await ctx.log("warning", "The answer follows.");
    return large;
  });
  const handle = createNodeHandler(server, { trustProxy: 1, maxUnfinishedBytes });
  /** The address of each caller whose connection has ended, once for each of its requests. */
  const cut = new Queue<string>();
  const http = createHttpServer((request, response) => {
    const address = `${request.headers["x-forwarded-for"]}`;
    request.socket.once("close", () => cut.push(address));
    handle(request, response);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await handle.close(0);
  });
  const { port } = http.address() as AddressInfo;
  /** Calls a tool, and takes nothing of the answer. */
  const callUnread = (name: string, address: string, { times = 1, headers = {} } = {}) => {
    const meta = { "io.modelcontextprotocol/logLevel": "debug" };
    const call = toNewest("tools/call", { name }, { headers: { ...from(address), ...headers }, meta });
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.pause().write(toRequestText(call).repeat(times));
    onTestFinished(() => void socket.destroy());
  };
  return { url: `http://127.0.0.1:${port}/mcp`, cut, callUnread };
}

describe.each(["whole", "streamed"])("answers that nobody reads, %s", (tool) => {
  it("of one address hold no more than there is room for, and none of another's", async () => {
    const { url, cut, callUnread } = await serve(30 * MiB);
    for (let calls = 0; calls < 6; calls++) callUnread(tool, attacker);
    expect(await cut.take(3)).toEqual(Array(3).fill(attacker));
    callUnread(tool, neighbour);
    expect(await cut.next()).toBe(attacker);
    const answer = await callNewest(url, tool, {}, { headers: from("203.0.113.2") });
    expect((await answer.text()).includes(large)).toBe(true);
  });

  it("count for a page of a browser as for any other client", async () => {
    const { cut, callUnread } = await serve(30 * MiB);
    const headers = { origin: "http://localhost" };
    for (let calls = 0; calls < 6; calls++) callUnread(tool, attacker, { headers });
    expect(await cut.take(3)).toEqual(Array(3).fill(attacker));
  });
});

it("answers that nobody reads count while they wait for the one before them on their connection, too", async () => {
  const { cut, callUnread } = await serve(20 * MiB);
  callUnread("whole", attacker, { times: 6 });
  expect(await cut.take(6)).toEqual(Array(6).fill(attacker));
});

it("an answer that is larger than the room for all is sent while no other waits", async () => {
  const { url } = await serve(MiB);
  for (const tool of ["whole", "streamed"]) {
    const answer = await callNewest(url, tool, {}, { headers: from(neighbour) });
    expect((await answer.text()).includes(large)).toBe(true);
  }
});
