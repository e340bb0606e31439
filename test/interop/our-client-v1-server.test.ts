import { InvalidOutputError, UnsupportedRevisionError } from "allspeak";
import { connect } from "allspeak/client";
import { describe, expect, test } from "vitest";
import { fixture } from "./fixture.ts";
import { officialV1 } from "./our-client/officials.ts";
import { describeOurClient } from "./our-client/suite.ts";
import { connectListening } from "./our-client/unpinned.ts";

describeOurClient(
  "the official SDK v1 server",
  ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"],
  officialV1,
  () => ({ target: fixture("official-v1-server") }),
);

describe("our client and the official SDK v1 server left to themselves", () => {
  test("find the newest revision that opens by a handshake, and need no probe the next time", async () => {
    const first = await connectListening(fixture("official-v1-server"));
    expect(first.client.hint).toEqual({ revision: "2025-11-25" });
    expect(first.sent).toEqual(["server/discover", "initialize", "notifications/initialized"]);
    await first.client.close();

    const { hint: verdict } = first.client;
    const second = await connectListening(fixture("official-v1-server"), { hint: verdict });
    expect(second.client.server.revision).toBe("2025-11-25");
    expect(second.sent).toEqual(["initialize", "notifications/initialized"]);
    await second.client.close();
  });

  test("have nothing to say to each other in a revision that the server does not know", async () => {
    const connecting = connect(fixture("official-v1-server"), { revisions: ["2026-07-28"] });
    await expect(connecting).rejects.toThrow(UnsupportedRevisionError);
  });

  test("lists of several pages come whole, an empty cursor being a cursor", async () => {
    const { client, sent } = await connectListening(fixture("official-v1-server", "paged"));
    const tools = await client.tools.list().all();
    expect(tools.map(({ name }) => name)).toEqual(["a", "b", "c", "liar"]);
    expect(sent.filter((method) => method === "tools/list")).toHaveLength(3);
    await client.close();
  });

  test("a structured result that its own schema forbids is refused, once the tool is listed", async () => {
    const { client } = await connectListening(fixture("official-v1-server", "paged"));
    expect((await client.tools.call("liar")).structuredContent).toEqual({ count: "many" });
    await client.tools.list().all();
    await expect(client.tools.call("liar")).rejects.toThrow(InvalidOutputError);
    await client.close();
  });
});
