import { describe, expect, it } from "vitest";
import { entries, open } from "../support/http/entries.ts";
import { createFixture } from "../support/http/fixture.ts";
import { askNewest } from "../support/http/stateless-request.ts";

const subscription = "io.modelcontextprotocol/subscriptionId";
const listen = (url: string, notifications: object, id: number | string = 1) =>
  askNewest(url, "subscriptions/listen", { notifications }, { id });

describe.each(entries)("subscriptions/listen of $name", (entry) => {
  it("acknowledges first, then tells only what was asked for, under its own id", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server);
    const answer = await listen(url, { toolsListChanged: true, resourceSubscriptions: ["a:1"] }, "mine");
    expect([answer.status, answer.type]).toEqual([200, "text/event-stream"]);
    const events = answer.events();
    expect(await events.message()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ["a:1"] },
        _meta: { [subscription]: "mine" },
      },
    });
    server.prompt("p", {}, () => "");
    void server.resources.updated("a:2");
    void server.resources.updated("a:1");
    expect(await events.message()).toMatchObject({
      method: "notifications/resources/updated",
      params: { uri: "a:1", _meta: { [subscription]: "mine" } },
    });
    server.tool("later", "Came later", () => "");
    expect(await events.message()).toMatchObject({
      method: "notifications/tools/list_changed",
      params: { _meta: { [subscription]: "mine" } },
    });
    events.cut();
  });

  it("keeps those of two clients apart, though they have the same id", async () => {
    const { server } = createFixture();
    const { url } = await open(entry, server);
    const one = (await listen(url, { resourceSubscriptions: ["a:1"] })).events();
    const two = (await listen(url, { resourceSubscriptions: ["a:2"] })).events();
    await Promise.all([one.message(), two.message()]);
    void server.resources.updated("a:2");
    void server.resources.updated("a:1");
    expect(await one.message()).toMatchObject({ params: { uri: "a:1" } });
    expect(await two.message()).toMatchObject({ params: { uri: "a:2" } });
    one.cut();
    two.cut();
  });

  it("gives a sign of life when there is nothing to tell", async () => {
    const { url } = await open(entry, createFixture().server, { keepAliveMs: 20 });
    const events = (await listen(url, { toolsListChanged: true })).events();
    await events.message();
    expect(await events.next()).toEqual({ comment: "" });
    expect(await events.next()).toEqual({ comment: "" });
    events.cut();
  });

  it("ends with a result when the server closes", async () => {
    const { url, close } = await open(entry, createFixture().server);
    const events = (await listen(url, { toolsListChanged: true }, 7)).events();
    await events.message();
    const closed = close();
    expect(await events.message()).toMatchObject({ id: 7, result: { _meta: { [subscription]: 7 } } });
    expect(await events.next()).toBeUndefined();
    await closed;
  });

  it("ends when the client goes", async () => {
    const { server, running, idle } = createFixture();
    const { url } = await open(entry, server);
    const events = (await listen(url, { toolsListChanged: true })).events();
    await events.message();
    expect(running()).toBe(1);
    events.cut();
    await idle();
  });
});
