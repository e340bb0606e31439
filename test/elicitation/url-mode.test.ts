import { createServer, tool, UrlElicitationRequiredError } from "allspeak";
import { type ConnectOptions, connect } from "allspeak/client";
import { expect, it } from "vitest";

const visit = { message: "Please log in.", url: "https://example.com/login", id: "login-1" };

function createShop(log: unknown[] = []) {
  let isLoggedIn = false;
  const login = () => {
    isLoggedIn = true;
    server.completeElicitation("login-1");
  };
  const server = createServer({
    name: "shop",
    version: "1",
    log: (entry) => log.push(entry),
    tools: [
      tool("buy", {}, async (_, ctx) => {
        const order = await ctx.once("order", () => "order 1");
        if (!isLoggedIn) throw new UrlElicitationRequiredError([visit]);
        return `${order} bought`;
      }),
      tool("pay", {}, async (_, ctx) => {
        const { action } = await ctx.elicit("pay", "Please pay.", {
          url: "https://example.com/pay",
          id: "pay-1",
        });
        await ctx.completeElicitation("pay-1");
        return action;
      }),
    ],
  });
  return { server, login };
}

const open = (server: ReturnType<typeof createShop>["server"], options: ConnectOptions) =>
  connect(server, { elicit: () => ({ action: "accept" }), ...options });

it("2026-07-28: a page that must be visited first is asked for in a round", async () => {
  const { server, login } = createShop();
  const asked: unknown[] = [];
  await using client = await open(server, {
    revisions: ["2026-07-28"],
    elicit: (ask) => {
      asked.push(ask);
      login();
      return { action: "accept" };
    },
  });
  expect(await client.tools.call("buy")).toMatchObject({ content: [{ text: "order 1 bought" }] });
  expect(asked).toEqual([{ mode: "url", message: visit.message, url: visit.url }]);
});

it("2026-07-28: a client that shows no pages is told what it lacks", async () => {
  await using client = await open(createShop().server, {
    revisions: ["2026-07-28"],
    capabilities: { elicitation: { form: {} } },
  });
  await expect(client.tools.call("buy")).rejects.toMatchObject({
    wireCode: -32021,
    data: { requiredCapabilities: { elicitation: { url: {} } } },
  });
});

it("2025-11-25: it is an error with the page, and the client that got it hears when the visit is over", async () => {
  const { server, login } = createShop();
  const heard: unknown[] = [];
  const revisions = ["2025-11-25"] as const;
  const onNotification = (method: string, params: object) => heard.push([method, params]);
  await using client = await open(server, { revisions, onNotification });
  await using other = await open(server, { revisions, onNotification: () => heard.push("other") });
  await expect(client.tools.call("buy")).rejects.toMatchObject({
    wireCode: -32042,
    data: {
      elicitations: [{ mode: "url", elicitationId: "login-1", message: visit.message, url: visit.url }],
    },
  });
  login();
  expect(await client.tools.call("buy")).toMatchObject({ content: [{ text: "order 1 bought" }] });
  await other.ping();
  expect(heard).toEqual([["notifications/elicitation/complete", { elicitationId: "login-1" }]]);
});

it.each([
  { declared: "nothing", capabilities: undefined },
  { declared: "elicitation without modes", capabilities: { elicitation: {} } },
  { declared: "forms only", capabilities: { elicitation: { form: {} } } },
])(
  "2025-11-25: for a client that declared $declared it is a failure of the tool that names the page",
  async ({ capabilities }) => {
    const { server, login } = createShop();
    const heard: string[] = [];
    await using client = await connect(server, {
      revisions: ["2025-11-25"],
      onNotification: (method) => heard.push(method),
      ...(capabilities && { capabilities, elicit: () => ({ action: "accept" }) }),
    });
    expect(await client.tools.call("buy")).toMatchObject({
      isError: true,
      content: [{ text: "Please log in. https://example.com/login" }],
    });
    login();
    await client.ping();
    expect(heard).toEqual([]);
  },
);

it("2025-06-18: it is a failure of the tool that names the page", async () => {
  await using client = await open(createShop().server, { revisions: ["2025-06-18"] });
  expect(await client.tools.call("buy")).toMatchObject({
    isError: true,
    content: [{ text: "Please log in. https://example.com/login" }],
  });
});

it.each(["2025-11-25", "2026-07-28"] as const)(
  "%s: the end of a visit is told where there is a word for it",
  async (revision) => {
    const heard: string[] = [];
    await using client = await open(createShop().server, {
      revisions: [revision],
      onNotification: (method) => heard.push(method),
    });
    expect(await client.tools.call("pay")).toMatchObject({ content: [{ text: "accept" }] });
    expect(heard).toEqual(revision === "2025-11-25" ? ["notifications/elicitation/complete"] : []);
  },
);
