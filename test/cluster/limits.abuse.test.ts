import { RpcError } from "allspeak";
import { describe, expect, it } from "vitest";
import { exchange } from "../support/http/exchange.ts";
import { callNewest } from "../support/http/stateless-request.ts";
import { openNodes } from "./nodes.ts";

const stranger = { "x-forwarded-for": "203.0.113.9" };

describe("limits of nodes that share a state", () => {
  it("count the calls of a caller at all nodes together", async () => {
    const limits = { anonymous: { calls: 6 } };
    const { nodes } = await openNodes({ trustProxy: 1, limits });
    const statuses: number[] = [];
    for (const { url } of [...nodes, ...nodes, ...nodes])
      statuses.push((await callNewest(url, "echo", { text: "x" }, { headers: stranger })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429]);
  });

  it("count bad credentials at all nodes together, and let others in", async () => {
    let checked = 0;
    const { nodes } = await openNodes({
      trustProxy: 1,
      limits: { anonymous: { calls: 6 } },
      identify: (request) => {
        checked++;
        if (request.header("authorization") === "good") return { issuer: "i", subject: "s" };
        throw new RpcError(-32001, "Not you.");
      },
    });
    const attempt = async (url: string, headers: Record<string, string>) =>
      (await exchange(url, { method: "POST", body: "{}", headers })).status;
    for (let round = 0; round < 10; round++) for (const { url } of nodes) await attempt(url, stranger);
    // Each node learns with its next failure what happened at the others.
    expect(checked).toBeLessThanOrEqual(6 + 2 * nodes.length);
    for (const { url } of nodes) {
      expect(await attempt(url, stranger)).toBe(429);
      const other = { authorization: "good", "x-forwarded-for": "203.0.113.10" };
      expect(await attempt(url, other)).not.toBe(429);
    }
  });
});
