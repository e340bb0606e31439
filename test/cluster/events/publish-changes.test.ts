import { createServer } from "allspeak";
import { memoryState, publishChanges } from "allspeak/http";
import { describe, expect, it } from "vitest";
import { openSession } from "../../support/http/raw-session.ts";
import { cuttable, sharedMemory, withEvents } from "../../support/shared-state.ts";
import { openNodes } from "../nodes.ts";

describe("a process that serves nobody", () => {
  it("announces changes to those who are subscribed at any node", async () => {
    const { nodes, state } = await openNodes();
    const session = await openSession(nodes[1].url, "2025-11-25");
    await (await session.ask("resources/subscribe", { uri: "fixture://notes" })).result();
    const events = await session.listen();
    const server = createServer({ name: "fixture", version: "1" });
    const changes = await publishChanges(server, { state });
    void server.resources.updated("fixture://other");
    void server.resources.updated("fixture://notes");
    server.log("error", "from a job");
    await changes.close();
    expect(await events.message()).toMatchObject({ params: { uri: "fixture://notes" } });
    expect(await events.message()).toMatchObject({ params: { data: "from a job" } });
    events.cut();
  });

  it("learns that the store did not take a change", async () => {
    const cut = cuttable(sharedMemory());
    const reports: string[] = [];
    const log = ({ message }: { message: string }) => void reports.push(message);
    const server = createServer({ name: "fixture", version: "1", log });
    const changes = await publishChanges(server, { state: cut.state });
    cut.cut();
    void server.resources.updated("fixture://notes");
    await expect(changes.close()).rejects.toMatchObject({ code: "overloaded" });
    expect(reports).toContain("A change could not be announced to the other nodes");
  });

  it("loses no change to a flood of log messages while the store is away", async () => {
    const cut = cuttable(sharedMemory());
    const appended: string[] = [];
    const state = withEvents(cut.state, (events) => ({
      append: (stream, texts, ttlMs) => {
        appended.push(...texts);
        return events.append(stream, texts, ttlMs);
      },
    }));
    const server = createServer({ name: "fixture", version: "1", log: () => {} });
    const changes = await publishChanges(server, { state });
    cut.cut();
    const stored = server.resources.updated("fixture://notes");
    // More than there is room for changes, and each for another session, so that none takes the place of another.
    for (let sent = 0; sent < 11_000; sent++) server.log("error", sent, { session: `${sent}` });
    cut.mend();
    await stored;
    expect(appended.join()).toContain("fixture://notes");
    await changes.close();
    expect(appended.filter((text) => text.includes('"kind":"log"'))).toHaveLength(1_000);
  });

  it("is told that memory is of no use to it", async () => {
    const server = createServer({ name: "fixture", version: "1" });
    const publishing = publishChanges(server, { state: memoryState() });
    await expect(publishing).rejects.toThrow(/needs a state that other/);
  });
});
