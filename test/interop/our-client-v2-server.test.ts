import { InvalidOutputError, UnsupportedRevisionError } from "allspeak";
import { connect } from "allspeak/client";
import { describe, expect, test } from "vitest";
import { fixture } from "./fixture.ts";
import { officialV2 } from "./our-client/officials.ts";
import { describeOurClient } from "./our-client/suite.ts";
import { connectListening } from "./our-client/unpinned.ts";

describeOurClient(
  "the official SDK v2 server",
  ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
  officialV2,
  () => ({ target: fixture("official-v2-server") }),
);

describe("our client and the official SDK v2 server left to themselves", () => {
  test("find the newest revision at the first try", async () => {
    const { client, sent } = await connectListening(fixture("official-v2-server"));
    expect(client.hint).toEqual({ revision: "2026-07-28" });
    expect(sent).toEqual(["server/discover"]);
    await client.close();
  });

  test("an outdated verdict still connects, in the revision that it names", async () => {
    const verdict = { revision: "2025-06-18" };
    const { client, sent } = await connectListening(fixture("official-v2-server"), { hint: verdict });
    expect(client.hint).toEqual({ revision: "2025-06-18" });
    expect(sent).toEqual(["initialize", "notifications/initialized"]);
    await client.close();
  });

  test("a wrong verdict costs a try and nothing else", async () => {
    const verdict = { revision: "2025-06-18" };
    const { client } = await connectListening(fixture("official-v2-server", "newest"), { hint: verdict });
    expect(client.hint).toEqual({ revision: "2026-07-28" });
    await client.close();
  });

  test("a server that refuses the handshake is left with an error that says what it speaks", async () => {
    const connecting = connect(fixture("official-v2-server", "newest"), { revisions: ["2025-11-25"] });
    await expect(connecting).rejects.toThrow(UnsupportedRevisionError);
    await expect(connecting).rejects.toMatchObject({ supported: ["2026-07-28"] });
  });

  test.each(["2025-11-25", "2026-07-28"] as const)(
    "lists of several pages come whole in %s, an empty cursor being a cursor",
    async (revision) => {
      const target = fixture("official-v2-server", "paged");
      const { client, sent } = await connectListening(target, { revisions: [revision] });
      const tools = await client.tools.list().all();
      expect(tools.map(({ name }) => name)).toEqual(["a", "b", "c", "liar"]);
      expect(sent.filter((method) => method === "tools/list")).toHaveLength(3);
      await client.close();
    },
  );

  test("a structured result that its own schema forbids is refused, once the tool is listed", async () => {
    const { client } = await connectListening(fixture("official-v2-server", "paged"));
    expect((await client.tools.call("liar")).structuredContent).toEqual({ count: "many" });
    await client.tools.list().all();
    await expect(client.tools.call("liar")).rejects.toThrow(InvalidOutputError);
    await client.close();
  });
});
