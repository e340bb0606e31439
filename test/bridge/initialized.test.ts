import { fileURLToPath } from "node:url";
import { openBridge } from "allspeak/bridge";
import { openGateway } from "allspeak/gateway";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveOfficialSessions } from "../support/http/official-sessions.ts";
import { openClient } from "../support/open-client.ts";
// @ts-expect-error It is a program, too, and has no types.
import { createInitialized } from "./fixtures/initialized-server.mjs";

const program = fileURLToPath(new URL("fixtures/initialized-server.mjs", import.meta.url));

const targets = {
  stdio: async () => ({ command: process.execPath, args: [program, "--stdio"] }),
  HTTP: () => serveOfficialSessions(createInitialized),
};

describe.each(Object.entries(targets))("an official server over %s", (_, reach) => {
  it("is initialized before a bridge sends it a call", async () => {
    const bridge = await openBridge(await reach());
    onTestFinished(() => bridge.close());
    const client = await openClient(bridge.server);
    expect((await client.tools.call("read")).content).toMatchObject([{ text: "initialized" }]);
  });

  it("is initialized before a gateway sends it a call", async () => {
    const gateway = await openGateway({ servers: { one: await reach() }, listMs: 60_000 });
    onTestFinished(() => gateway.close());
    const client = await openClient(gateway.server);
    expect((await client.tools.call("one__read")).content).toMatchObject([{ text: "initialized" }]);
  });
});
