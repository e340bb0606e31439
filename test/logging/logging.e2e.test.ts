import { expect, it } from "vitest";
import { describeRevisions, type Opened } from "../matrix/revisions.ts";
import { allowViolations } from "../support/wire-schema/wire-check.ts";

const fact = { level: "info", logger: "fixture", data: { what: "a fact" } };
const failure = { level: "error", data: "a failure" };

async function chatter({ client, wire }: Opened): Promise<unknown> {
  await client.tools.call("chatter");
  return wire.told("notifications/message");
}

describeRevisions("logging", ({ open, since }) => {
  it("sends what is at least information, or nothing where each request must ask for it", async () => {
    expect(await chatter(await open())).toEqual(
      since<unknown[]>({ "2024-11-05": [fact, failure], "2026-07-28": [] }),
    );
  });

  it("refuses a level that does not exist where levels are set by a request", async () => {
    const { client } = await open();
    const setting = client.request("logging/setLevel", { level: "loud" });
    await expect(setting).rejects.toMatchObject(
      since<object>({ "2024-11-05": { wireCode: -32602 }, "2026-07-28": { code: "not-in-revision" } }),
    );
    if (since({ "2024-11-05": true, "2026-07-28": false }))
      allowViolations("the level is wrong on purpose", /"level":"loud"/);
  });
});
