// Sessions are bound to the principal of a token, not to the token and not to its bearer.
import { bearer } from "allspeak/auth";
import { memoryState } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { createSessionId } from "../../../src/transports/http/server/session/session-id.ts";
import { openIssuer, type TokenIssuer } from "../../support/auth/token-issuer.ts";
import { entries, open } from "../../support/http/entries.ts";
import { createFixture } from "../../support/http/fixture.ts";
import { openSession, RawSession } from "../../support/http/raw-session.ts";

const publicUrl = "https://mcp.example.com/mcp";
const revision = "2025-11-25";
const as = async (issuer: TokenIssuer, claims = {}) => ({
  headers: { authorization: `Bearer ${await issuer.mint(publicUrl, claims)}` },
});

describe.each(entries)("CVE-2026-33946, CVE-2025-6515: another's session id, $name", (entry) => {
  it.each([
    ["another subject", { sub: "bob" }],
    ["another client of the same subject", { client_id: "other" }],
    ["a client that is named like the subject", { sub: "app", client_id: "alice" }],
  ])("is unknown to %s with a good token", async (_, claims) => {
    const issuer = await openIssuer();
    const { server, started, aborted, release } = createFixture();
    const { url } = await open(entry, server, { publicUrl, auth: bearer({ issuer: issuer.url }) });
    const alice = await openSession(url, revision, await as(issuer));
    const stream = await alice.listen();
    await stream.next();
    const events = (await alice.call("wait", { name: "hers", talk: true })).events();
    const priming = await events.next();
    await started.next();

    const { headers } = await as(issuer, claims);
    const tries = async (id: string) => {
      const session = new RawSession(url, id, revision, headers);
      const answers = await Promise.all([
        session.ask("ping"),
        session.call("echo", { text: "x" }),
        session.notify("notifications/cancelled", { requestId: 1 }),
        session.answer(1, {}),
        session.get(),
        session.get(priming?.id),
        session.delete(),
      ]);
      return Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]));
    };
    const stolen = await tries(alice.id);
    expect(stolen).toEqual(await tries(createSessionId()));
    for (const [status] of stolen) expect(status).toBe(404);

    server.tool("later", "Came later", () => "");
    expect(await stream.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    release("hers");
    expect(await events.messages()).toMatchObject([{ method: "notifications/progress" }, { id: 1 }]);
    expect(aborted.drain()).toEqual([]);
    stream.cut();
  });

  it("goes on for its own principal with a token that was renewed, streams included", async () => {
    const issuer = await openIssuer();
    const state = memoryState();
    const { server, started, release } = createFixture();
    const { url } = await open(entry, server, { publicUrl, state, auth: bearer({ issuer: issuer.url }) });
    const alice = await openSession(url, revision, await as(issuer));
    const call = await alice.call("wait", { name: "hers", talk: true });
    const events = call.events();
    const priming = await events.next();
    await started.next();
    call.cut();

    const same = new RawSession(url, alice.id, revision, (await as(issuer, { scope: "more" })).headers);
    const rest = await same.listen(priming?.id);
    release("hers");
    expect(await rest.messages()).toMatchObject([{ method: "notifications/progress" }, { id: 1 }]);
    expect((await same.delete()).status).toBe(204);
    expect((await alice.ask("ping")).status).toBe(404);
  });

  it("is unknown to others on every node that shares the state, and known to its own principal", async () => {
    const issuer = await openIssuer();
    const state = memoryState();
    const options = { publicUrl, state, auth: bearer({ issuer: issuer.url }) };
    const [first, second] = [
      await open(entry, createFixture().server, options),
      await open(entry, createFixture().server, options),
    ];
    const alice = await openSession(first.url, revision, await as(issuer));
    const steps = (await alice.call("steps", { count: 2 })).events();
    const priming = await steps.next();
    await steps.messages();

    const bob = new RawSession(second.url, alice.id, revision, (await as(issuer, { sub: "bob" })).headers);
    const answers = await Promise.all([bob.ask("ping"), bob.get(), bob.get(priming?.id), bob.delete()]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const elsewhere = new RawSession(
      second.url,
      alice.id,
      revision,
      (await as(issuer, { jti: "2" })).headers,
    );
    expect((await elsewhere.ask("ping")).status).toBe(200);
    expect((await alice.ask("ping")).status).toBe(200);
  });

  it("does not replace the token: without one, or with an old one, the status is 401, not 404", async () => {
    const issuer = await openIssuer();
    const { url } = await open(entry, createFixture().server, {
      publicUrl,
      auth: bearer({ issuer: issuer.url }),
    });
    const alice = await openSession(url, revision, await as(issuer));
    const old = (await as(issuer, { exp: Math.floor(Date.now() / 1000) - 60 })).headers;
    for (const headers of [{}, old]) {
      const session = new RawSession(url, alice.id, revision, headers);
      const answers = await Promise.all([
        session.ask("ping"),
        session.get(),
        session.get("x"),
        session.delete(),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    }
    expect((await alice.ask("ping")).status).toBe(200);
  });
});
