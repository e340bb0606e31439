import { serveHttp } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
import { bearer } from "../../../src/auth.ts";
import { serve } from "../../support/auth/serve-dev-auth.ts";
import { openPage } from "../support/page.ts";
import { createDemoServer } from "../support/server.ts";

async function openProtected(options?: Parameters<typeof serve>[0]) {
  const issuer = await serve(options);
  const running = await serveHttp(createDemoServer(), { auth: bearer({ issuer: issuer.issuer }) });
  onTestFinished(() => running.close());
  const { page } = await openPage();
  return { page, target: { kind: "url", url: running.url } as const };
}

test("a login is shown as an address and opened by nobody; each step is explained", async () => {
  const { page, target } = await openProtected();
  const connecting = page.send("connect", { target });
  const { question } = await page.next("question");
  if (question.kind !== "login") throw new Error(`It asks for ${question.kind}.`);
  expect(new URL(question.url).origin).toBe(question.origin);

  // The person opens it, and the authorization server sends their browser back.
  expect(await (await fetch(question.url)).text()).toContain("close this window");
  const { connection } = await connecting;
  expect(connection.state).toBe("open");
  const steps = connection.authHops.map(({ step, outcome }) => `${step} ${outcome}`);
  expect(steps).toEqual(expect.arrayContaining(["resource-metadata ok", "token ok"]));
  expect(await page.next("question-closed")).toMatchObject({ question: question.id });
  // The token is for the server: a second connection needs no login.
  expect(await page.send("connect", { target })).toMatchObject({ connection: { state: "open" } });

  const { entries } = await page.send("read-wire", {
    filter: { connections: [connection.id] },
    from: 0,
    count: 100,
  });
  const facts = await Promise.all(entries.map(({ seq }) => page.send("read-wire-entry", { seq })));
  const sent = facts
    .flatMap(({ http }) => http?.requestHeaders ?? [])
    .filter(({ name }) => name === "authorization");
  expect(new Set(sent.map(({ value }) => value))).toEqual(new Set(["Bearer •••"]));
});

test("a token that is over is renewed without the person, and the step is shown", async () => {
  const { page, target } = await openProtected({ accessTokenSeconds: 1 });
  const connecting = page.send("connect", { target });
  const { question } = await page.next("question");
  if (question.kind !== "login") throw new Error(`It asks for ${question.kind}.`);
  await (await fetch(question.url)).text();
  const { connection } = await connecting;
  let isRenewed = false;
  const renewed = (async () => {
    while (!isRenewed) isRenewed = (await page.next("auth-hop")).hop.step === "refresh";
  })();
  for (let a = 0; !isRenewed; a++) {
    const args = { connection: connection.id, name: "add", arguments: { a, b: 1 } };
    expect((await page.send("call-tool", args)).result).toMatchObject({ structuredContent: { sum: a + 1 } });
  }
  await renewed;
});

test("a person can give a login up", async () => {
  const { page, target } = await openProtected();
  const connecting = page.send("connect", { target }).catch((error: Error) => error);
  const { question } = await page.next("question");
  await page.send("answer", { question: question.id, answer: { kind: "decide", isAllowed: false } });
  expect(await connecting).toMatchObject({ failure: { code: "authorization" } });
});

test.each<[string, Parameters<typeof serve>[0]]>([
  ["has no registration", { registration: false }],
  [
    "refuses to register a client",
    {
      intercept: (request) =>
        new URL(request.url).pathname.endsWith("/register")
          ? Response.json({ error: "access_denied" }, { status: 403 })
          : undefined,
    },
  ],
])("where the authorization server %s, the person learns what to do", async (_what, options) => {
  const { page, target } = await openProtected(options);
  await expect(page.send("connect", { target })).rejects.toMatchObject({
    failure: { code: "authorization", hint: expect.stringContaining('"OAuth client id"') },
  });
});

test("a client that the person has registered logs in", async () => {
  const { page, target } = await openProtected({
    registration: false,
    clients: [{ client_id: "by-hand", redirect_uris: ["http://127.0.0.1/callback"] }],
  });
  const connecting = page.send("connect", { target, options: { oauth: { clientId: "by-hand" } } });
  const { question } = await page.next("question");
  if (question.kind !== "login") throw new Error(`It asks for ${question.kind}.`);
  expect(await (await fetch(question.url)).text()).toContain("close this window");
  expect((await connecting).connection.state).toBe("open");
});
