import { expect, it } from "vitest";
import { readText } from "../matrix/read-text.ts";
import { describeRevisions } from "../matrix/revisions.ts";

describeRevisions(
  "middleware",
  ({ open, revision, since }) => {
    it("stands around every request and may change its result", async () => {
      const { client } = await open();
      const outer = async (method: string, params = {}) => {
        const { _meta } = await client.request(method, params);
        return (_meta as Record<string, unknown>)["example.com/outer"];
      };
      expect(await outer("tools/list")).toBe(`tools/list ${revision}`);
      expect(await outer("tools/call", { name: "echo", arguments: { text: "a" } })).toBe(
        `tools/call ${revision}`,
      );
      const last = since({ "2024-11-05": "ping", "2026-07-28": "server/discover" });
      expect(await outer(last)).toBe(`${last} ${revision}`);
    });

    it("may refuse", async () => {
      const { client } = await open();
      await expect(client.tools.call("forbidden")).rejects.toMatchObject({
        wireCode: -32050,
        message: "Not today",
      });
    });

    it("may answer itself", async () => {
      const { client } = await open();
      expect(readText(await client.tools.call("answered"))).toBe("by middleware");
    });

    it("makes every list private, since it may show each caller another one", async () => {
      const { client, wire } = await open();
      await client.tools.list({ fresh: true }).all();
      expect(wire.result("tools/list").cacheScope).toBe(
        since<unknown>({ "2024-11-05": undefined, "2026-07-28": "private" }),
      );
    });

    it("of the client stands around its requests", async () => {
      const { client } = await open({});
      const methods: string[] = [];
      client.use(async (call, next) => {
        methods.push(call.method);
        const result = await next();
        return { ...result, content: [{ type: "text", text: "rewritten" }] };
      });
      expect(readText(await client.tools.call("echo", { text: "a" }))).toBe("rewritten");
      expect(methods).toEqual(["tools/call"]);
    });
  },
  { fixture: "guarded" },
);
