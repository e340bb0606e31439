import { RpcError } from "allspeak";
import { expect, it } from "vitest";
import { CallLimits } from "../../src/guard/call-limits.ts";
import { HostCheck } from "../../src/guard/host-check.ts";
import { memoryState } from "../../src/http.ts";
import { HttpAdmission } from "../../src/transports/http/server/admission/admission.ts";
import { RefusalLog } from "../../src/transports/http/server/admission/refusal-log.ts";
import type { HttpReply, HttpRequest } from "../../src/transports/http/server/http-interface.ts";
import { toHttpSettings } from "../../src/transports/http/server/http-options.ts";

const good = "Bearer good";

/** Sends requests of addresses that no test machine has; the status of those that are refused, 200 for the others. */
function openAdmission(options: { readonly trustProxy?: number } = {}) {
  const admission = new HttpAdmission({
    hosts: new HostCheck(),
    authenticator: undefined,
    limits: new CallLimits(
      { anonymous: { calls: 5 } },
      { name: "s", counters: () => memoryState().counters },
    ),
    refusals: new RefusalLog(() => {}),
    report: () => {},
    settings: toHttpSettings({
      ...options,
      identify: (request) => {
        if (request.header("authorization") === good) return { issuer: "i", subject: "s" };
        throw new RpcError(-32001, "Not you.");
      },
    }),
  });
  return async (address: string, headers: { readonly [name: string]: string }): Promise<number> => {
    let status = 200;
    const http = {
      method: "POST",
      path: "/mcp",
      prefix: "",
      mountPath: "",
      query: "",
      address,
      header: (name: string) => headers[name],
    };
    const reply = {
      send(given: number) {
        status = given;
      },
    };
    await admission.admit(http as unknown as HttpRequest, reply as unknown as HttpReply);
    return status;
  };
}

async function repeat(times: number, send: (n: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) statuses.push(await send(n));
  return statuses;
}

it("an address with too many bad credentials is refused before they are checked", async () => {
  const send = openAdmission();
  expect(await repeat(7, () => send("198.51.100.7", {}))).toEqual([403, 403, 403, 403, 403, 429, 429]);
  expect(await send("198.51.100.8", {})).toBe(403);
});

it("no header lifts the limit for bad credentials", async () => {
  const send = openAdmission();
  const statuses = await repeat(200, (n) => send("198.51.100.7", { "x-forwarded-for": `203.0.113.${n}` }));
  expect(statuses.filter((status) => status === 403)).toHaveLength(50);
  expect(statuses.slice(50).every((status) => status === 429)).toBe(true);
});

it("one client behind a proxy that is not trusted does not lock out the others", async () => {
  const send = openAdmission();
  const through = (client: string, headers = {}) =>
    send("198.51.100.7", { "x-forwarded-for": `10.0.0.1, ${client}`, ...headers });
  expect(await repeat(7, () => through("203.0.113.1"))).toEqual([403, 403, 403, 403, 403, 429, 429]);
  expect(await through("203.0.113.2", { authorization: good })).toBe(200);
});

it("clients behind a trusted proxy are told apart by their addresses", async () => {
  const send = openAdmission({ trustProxy: 1 });
  const through = (client: string) => send("198.51.100.7", { "x-forwarded-for": client });
  expect(await repeat(6, () => through("203.0.113.1"))).toEqual([403, 403, 403, 403, 403, 429]);
  expect(await through("203.0.113.2")).toBe(403);
});
