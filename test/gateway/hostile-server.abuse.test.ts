import { fileURLToPath } from "node:url";
import { type Client, connect } from "allspeak/client";
import { type Gateway, openGateway } from "allspeak/gateway";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { namedServer, plainEntry } from "../host/fixtures/servers.ts";

const program = fileURLToPath(new URL("fixtures/hostile-server.mjs", import.meta.url));
const evil = (attack: string) => ({ command: process.execPath, args: [program, attack] });

const attacks = ["flood", "endless", "many", "large", "bomb", "phishing", "huge", "silent", "invalid"];

/** The number of turns of the event loop that each call takes: what others do in a turn has its own bound. */
async function turnsOf(call: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  const taken: number[] = [];
  for (let calls = 0; calls < 200; calls++) {
    const before = turns;
    await call();
    taken.push(turns - before);
  }
  clearImmediate(next);
  return taken.sort((a, b) => a - b)[100] ?? Number.NaN;
}

describe("a gateway whose other servers attack it in every way at once", () => {
  let gateway: Gateway;
  let client: Client;
  const problems: Error[] = [];
  beforeAll(async () => {
    gateway = await openGateway({
      servers: {
        good: namedServer("good", "read"),
        program: plainEntry("read"),
        hangs: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1e6)"] },
        crashes: plainEntry("broken"),
        ...Object.fromEntries(attacks.map((attack) => [attack, evil(attack)])),
      },
      listMs: 3_000,
      maxRunning: 3,
      onProblem: (problem) => problems.push(problem),
    });
    client = await connect(gateway.server);
  });
  afterAll(async () => {
    await client.close();
    await gateway.close();
  });

  test("an honest tool is called before the slow servers are there", async () => {
    const { content } = await client.tools.call("good__read");
    expect(content).toMatchObject([{ text: "good read {}" }]);
    expect(gateway.servers.find(({ name }) => name === "hangs")?.state).toBe("starting");
  });

  test("the honest tools are listed, with a bounded number of others under their own names", async () => {
    const names = (await client.tools.list().all()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["good__read", "program__read"]));
    expect(names.filter((name) => name.startsWith("good__"))).toEqual(["good__read"]);
    expect(names.length).toBeLessThan(2_100);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(problems.map(({ message }) => message).join()).toContain("more than 1000 tools");
  });

  test("a list is not waited for again because of a server that hangs", async () => {
    const taken = await Promise.race([
      client.tools
        .list({ fresh: true })
        .all()
        .then(() => "listed"),
      client.prompts
        .list({ fresh: true })
        .all()
        .then(() => client.prompts.list({ fresh: true }).all())
        .then(() => "twice"),
    ]);
    expect(taken).toBe("listed");
  });

  test("calls of an honest server take at most twice the turns that they take alone", async () => {
    const alone = await openGateway({ servers: { good: namedServer("good", "read") } });
    onTestFinished(() => alone.close());
    const quiet = await connect(alone.server);
    onTestFinished(() => quiet.close());
    await quiet.tools.call("good__read");
    // Each attacks during a call, or is being called meanwhile.
    const stop = new AbortController();
    const attacked = ["flood__read", "huge__read", "silent__read", "invalid__read", "crashes__read"].map(
      (name) => client.tools.call(name, {}, { signal: stop.signal }).catch(() => undefined),
    );
    const busy = await turnsOf(() => client.tools.call("good__read"));
    stop.abort();
    await Promise.all(attacked);
    const calm = await turnsOf(() => quiet.tools.call("good__read"));
    expect(busy).toBeLessThanOrEqual(Math.max(1, calm) * 2);
  });

  test("calls that are never answered take only the places of their server", async () => {
    const stop = new AbortController();
    const open = [1, 2, 3].map(() =>
      client.tools.call("silent__read", {}, { signal: stop.signal }).catch(() => undefined),
    );
    await expect(client.tools.call("silent__read")).rejects.toMatchObject({ wireCode: 503 });
    expect((await client.tools.call("program__read")).isError).not.toBe(true);
    stop.abort();
    await Promise.all(open);
  });

  test("a model reads that a server is gone, and which", async () => {
    const huge = await client.tools.call("huge__read");
    expect(huge).toMatchObject({ isError: true, content: [{ text: 'The server "huge" failed to answer.' }] });
    const died = await client.tools.call("program__die");
    expect(died).toMatchObject({
      isError: true,
      content: [{ text: 'The server "program" is not available.' }],
    });
  });
});
