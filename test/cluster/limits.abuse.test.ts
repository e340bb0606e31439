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

  it("count what is no call at all nodes together, and read nothing more of a caller beyond its rate", async () => {
    const { nodes } = await openNodes({ trustProxy: 1, limits: { anonymous: { calls: 6 } } });
    const send = async (url: string, address: string) => {
      const headers = { "x-forwarded-for": address, "content-type": "application/json" };
      return (await exchange(url, { method: "POST", body: "{", headers })).status;
    };
    // No node alone gets more of them than a caller may send.
    const statuses: number[] = [];
    for (let round = 0; round < 6; round++)
      for (const { url } of nodes) statuses.push(await send(url, "203.0.113.9"));
    expect(statuses.slice(0, 6)).not.toContain(429);
    // Each node learns with its next one what came to the others.
    expect(statuses.slice(-nodes.length)).toEqual(nodes.map(() => 429));
    for (const { url } of nodes) expect(await send(url, "203.0.113.10")).not.toBe(429);
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
