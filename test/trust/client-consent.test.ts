import { describe, expect, test, vi } from "vitest";
import { ConsentRefusedError } from "../../src/errors.ts";
import { failure, openClient } from "../support/open-client.ts";
import { discoverServer, type Wire } from "../support/scripted-server.ts";

const outputSchema = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };
const weather = { name: "weather", inputSchema: { type: "object" }, outputSchema };
const warm = { content: [], structuredContent: { celsius: 20 } };
const _cold = { content: [], structuredContent: { celsius: "cold" } };

function weatherServer(result: Wire, tools: object[] = [weather]) {
  return discoverServer({ script: { "tools/list": () => ({ tools }), "tools/call": () => result } });
}

describe("consent", () => {
  test("is asked with all that is known of the call", async () => {
    const consent = vi.fn(() => true);
    const client = await openClient(weatherServer(warm), { consent });
    await client.tools.call("weather", { place: "Oslo" });
    await client.tools.list().all();
    await client.tools.call("weather", { place: "Rome" });
    const call = { server: { name: "scripted", version: "1" }, name: "weather", signal: undefined };
    expect(consent.mock.calls).toEqual([
      [{ ...call, serverId: "memory:scripted", arguments: { place: "Oslo" }, tool: undefined }],
      [{ ...call, serverId: "memory:scripted", arguments: { place: "Rome" }, tool: weather }],
    ]);
  });

  test.each([false, undefined, "yes", 1])("that is %j is a refusal, and nothing is sent", async (answer) => {
    const server = weatherServer(warm);
    const client = await openClient(server, { consent: async () => answer as boolean });
    expect(await failure(client.tools.call("weather"))).toBeInstanceOf(ConsentRefusedError);
    expect(await failure(client.request("tools/call", { name: "weather" }))).toBeInstanceOf(
      ConsentRefusedError,
    );
    expect(server.line.methods()).toEqual(["server/discover"]);
  });

  test("that throws fails the call with what it threw", async () => {
    const client = await openClient(weatherServer(warm), {
      consent: () => {
        throw new Error("no window");
      },
    });
    expect(await failure(client.tools.call("weather"))).toMatchObject({ message: "no window" });
  });

  test("is asked once for a call of several rounds", async () => {
    const consent = vi.fn(() => true);
    let round = 0;
    const server = discoverServer({
      script: {
        "tools/call": () => (round++ < 3 ? { resultType: "input_required", requestState: "s" } : warm),
      },
    });
    const client = await openClient(server, { consent });
    await client.tools.call("weather");
    expect(consent).toHaveBeenCalledTimes(1);
  });
});
