import { createServer, type Server, UrlElicitationRequiredError } from "allspeak";
import { openBridge } from "allspeak/bridge";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { serveHttp } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../support/open-client.ts";

const login = { message: "Log in.", url: "https://example.com/login" };

/** A server of 2025-11-25 that wants a page visited first, where the error for that comes from. */
function createUpstream() {
  const visited = { isDone: false };
  const assertVisited = () => {
    if (!visited.isDone) throw new UrlElicitationRequiredError([{ ...login, id: "login-1" }]);
  };
  const server = createServer({ name: "upstream", version: "1", revisions: ["2025-11-25"] });
  server.tool("buy", {}, () => {
    assertVisited();
    return "bought";
  });
  server.prompt("offer", {}, () => {
    assertVisited();
    return "An offer.";
  });
  return { server, visited };
}

async function bridgeTo(server: Server): Promise<Server> {
  const bridge = await openBridge(server);
  onTestFinished(() => bridge.close());
  return bridge.server;
}

async function gatewayTo(server: Server): Promise<Server> {
  const gateway = await openGateway({ servers: { in: server }, tools: { in: { buy: { rename: "buy" } } } });
  onTestFinished(() => gateway.close());
  return gateway.server;
}

/** A client that is connected over HTTP and declares that it shows pages, whoever it mounts for. */
async function mountOf(server: Server): Promise<Server> {
  const running = await serveHttp(server);
  const client: Client = await connect(running.url, { elicit: () => ({ action: "accept" }) });
  onTestFinished(async () => {
    await client.close();
    await running.close(0);
  });
  const between = createServer({ name: "between", version: "1" });
  between.mount("", client);
  return between;
}

describe.each([
  ["bridge", bridgeTo, "offer"],
  ["gateway", gatewayTo, "in__offer"],
  ["mounted client", mountOf, "offer"],
] as const)("the error -32042 of a server behind a %s", (_, serve, prompt) => {
  async function open(options: ConnectOptions) {
    const { server, visited } = createUpstream();
    return { visited, client: await openClient(await serve(server), options) };
  }

  it("reaches a client of 2025-11-25 as it is", async () => {
    const { client } = await open({ revisions: ["2025-11-25"], elicit: () => ({ action: "accept" }) });
    await expect(client.tools.call("buy")).rejects.toMatchObject({
      wireCode: -32042,
      data: { elicitations: [{ mode: "url", elicitationId: "login-1", ...login }] },
    });
  });

  it("asks the user of a client of 2026-07-28, who visits the page, and the call runs", async () => {
    const { client, visited } = await open({
      revisions: ["2026-07-28"],
      elicit: (ask) => {
        expect(ask).toEqual({ mode: "url", ...login });
        visited.isDone = true;
        return { action: "accept" };
      },
    });
    expect((await client.tools.call("buy")).content).toMatchObject([{ text: "bought" }]);
    visited.isDone = false;
    expect((await client.prompts.get(prompt)).messages).toMatchObject([{ content: { text: "An offer." } }]);
  });

  it.each(["decline", "cancel"] as const)(
    "is no question without end for a user of 2026-07-28 who answers with %s",
    async (action) => {
      let asked = 0;
      const { client } = await open({
        revisions: ["2026-07-28"],
        elicit: () => {
          asked++;
          return { action };
        },
      });
      expect(await client.tools.call("buy")).toMatchObject({
        isError: true,
        content: [{ text: "The user did not agree to visit the page that this call needs." }],
      });
      await expect(client.prompts.get(prompt)).rejects.toThrow("did not agree to visit the page");
      expect(asked).toBe(2);
    },
  );

  it.each(["2024-11-05", "2025-03-26", "2025-06-18"] as const)(
    "becomes words with the page for a client of %s",
    async (revision) => {
      const { client } = await open({ revisions: [revision], elicit: () => ({ action: "accept" }) });
      expect(await client.tools.call("buy")).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(login.url) }],
      });
      await expect(client.prompts.get(prompt)).rejects.toMatchObject({
        wireCode: -32603,
        message: expect.stringContaining(login.url),
      });
    },
  );
});

it("a client of 2026-07-28 that shows no pages gets the name of the capability that it lacks", async () => {
  const { server } = createUpstream();
  const client = await openClient(await mountOf(server), { revisions: ["2026-07-28"] });
  await expect(client.tools.call("buy")).rejects.toMatchObject({
    wireCode: -32021,
    data: { requiredCapabilities: { elicitation: { url: {} } } },
  });
});
