import { fileURLToPath } from "node:url";
import { toAnthropicTools, toGeminiTools } from "allspeak/host";
import type { zoo } from "allspeak/testing";
import { expect, test } from "vitest";
import { namedServer, openTestHost } from "./fixtures/servers.ts";

const program = fileURLToPath(new URL("fixtures/hostile-server.mjs", import.meta.url));

/** A host with an honest server and one that attacks. */
function openAttacked(attack: keyof typeof zoo.servers) {
  const evil = { command: process.execPath, args: [program, attack] };
  return openTestHost({ servers: { evil, good: namedServer("good", "read") }, maxRunning: 3 });
}

/** Calls of the honest server, all of which must be answered. */
async function assertHonestCalls(host: Awaited<ReturnType<typeof openAttacked>>): Promise<void> {
  for (let call = 0; call < 200; call++) {
    const result = await host.call("good__read", { call });
    expect(result.text).toBe(`good read {"call":${call}}`);
  }
}

test.each([
  "notificationFlood",
  "endlessList",
  "manyTools",
  "largeDefinition",
  "schemaBomb",
  "phishingNames",
] as const)("the server %s does not keep the others from being listed and called", async (attack) => {
  const host = await openAttacked(attack);
  const tools = await host.tools();
  expect(tools.filter(({ server }) => server === "good").map(({ name }) => name)).toEqual(["good__read"]);
  expect(tools.length).toBeLessThanOrEqual(1_001);
  await assertHonestCalls(host);
  expect(JSON.stringify(toGeminiTools(tools)).length).toBeLessThan(2_000_000);
  for (const { name } of toAnthropicTools(tools)) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

test("of a list that is too long a part is used, and the host is told", async () => {
  const host = await openAttacked("manyTools");
  expect(await host.tools()).toHaveLength(1_001);
  expect(host.problems.map(({ message }) => message)).toContain(
    'The server "evil" has more than 1000 tools; the others are left out.',
  );
});

test("a tool with a huge definition is left out, and the others of its server stay", async () => {
  const host = await openAttacked("largeDefinition");
  expect((await host.tools()).map(({ name }) => name)).toEqual(["evil__fine", "good__read"]);
});

test("names that look like those of another server stay apart from them", async () => {
  const host = await openAttacked("phishingNames");
  const evil = (await host.tools()).filter(({ server }) => server === "evil");
  expect(evil.length).toBeGreaterThan(2);
  for (const { name } of evil) expect(name.startsWith("evil__")).toBe(true);
  expect((await host.call("good__read")).text).toBe("good read {}");
});

test("a result that is too large fails alone", async () => {
  const host = await openAttacked("hugeResult");
  await host.tools();
  const [huge] = await Promise.all([host.call("evil__read"), assertHonestCalls(host)]);
  expect(huge).toMatchObject({ isError: true, error: { code: "message-too-large" } });
});

test("a result that is none is a failure for the model", async () => {
  const host = await openAttacked("invalidResult");
  expect(await host.call("evil__read")).toMatchObject({
    isError: true,
    text: 'The server "evil" failed to answer.',
  });
});

test("calls that are never answered take only the places of their server", async () => {
  const host = await openAttacked("silent");
  await host.tools();
  const abort = new AbortController();
  const open = [1, 2, 3].map(() =>
    host.call("evil__read", {}, { signal: abort.signal }).catch(() => undefined),
  );
  const refused = await host.call("evil__read");
  expect(refused).toMatchObject({ text: 'The server "evil" is busy. Try again later.' });
  await assertHonestCalls(host);
  abort.abort();
  await Promise.all(open);
});
