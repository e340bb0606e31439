import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { openGateway } from "allspeak/gateway";
import { expect, onTestFinished, test } from "vitest";
import { Queue } from "../support/queue.ts";
import { turns } from "../support/turns.ts";

const listMs = 1_000;

/** A gateway before an honest server and one whose lists of resources wait for `isOpen`. */
async function openWithSlow(isOpen: () => Promise<unknown>) {
  const good = createServer({ name: "good", version: "1" });
  good.resource("note://one", { name: "one" }, () => "one");
  const slow = createServer({ name: "slow", version: "1" });
  slow.resource("slow://0", { name: "0" }, () => "0");
  const asked: string[] = [];
  slow.use(async (call, next) => {
    if (call.method === "resources/list" || call.method === "resources/templates/list") {
      asked.push(call.method);
      await isOpen();
    }
    return next();
  });
  const gateway = await openGateway({ servers: { slow, good }, listMs, onProblem: () => {} });
  onTestFinished(() => gateway.close());
  const client = await connect(gateway.server);
  onTestFinished(() => client.close());
  let count = 0;
  const change = async () => {
    slow.resource(`slow://${++count}`, { name: "more" }, () => "more");
    await turns(10);
  };
  const uris = async () => (await client.resources.list({ fresh: true }).all()).map(({ uri }) => uri);
  return { client, asked, change, uris };
}

test("a server that never lists, and reports changes all the time, is waited for and asked once", async () => {
  const { client, asked, change } = await openWithSlow(() => new Promise(() => {}));
  const begunAt = performance.now();
  for (let reads = 0; reads < 6; reads++) {
    const { contents } = await client.resources.read("note://one");
    expect(contents).toMatchObject([{ text: "one" }]);
    await change();
  }
  expect(performance.now() - begunAt).toBeLessThan(3 * listMs);
  expect(asked.filter((method) => method === "resources/list")).toHaveLength(1);
});

test("the last list is served while a server is slow to list again, and the new one is announced", async () => {
  let open = () => {};
  let isOpen: Promise<unknown> = Promise.resolve();
  const { client, change, uris } = await openWithSlow(() => isOpen);
  expect(await uris()).toEqual(["slow://0", "note://one"]);
  const changes = new Queue<unknown>();
  await client.subscribe({ resourceList: true }, (told) => changes.push(told));
  isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  await change();
  await changes.next();
  expect(await uris()).toEqual(["slow://0", "note://one"]);
  open();
  await changes.next();
  expect(await uris()).toEqual(["slow://0", "slow://1", "note://one"]);
});
