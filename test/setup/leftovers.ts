// Ends what the tests of a file shared; fails a file that leaves a rejected promise unhandled or a child process running.
import { setImmediate, setTimeout } from "node:timers/promises";
import { afterAll, expect } from "vitest";
import { finishFile } from "../support/on-file-finished.ts";

const graceMs = 2_000;
const unhandled: unknown[] = [];

const onUnhandled = (reason: unknown) => unhandled.push(reason);

process.on("unhandledRejection", onUnhandled);

afterAll(async () => {
  await finishFile();
  await setImmediate();
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled, "promises rejected with nobody to handle them").toEqual([]);
  expect(await childrenLeft(), "child processes still running").toBe(0);
});

/** How many children are alive once those that were told to end have had time to. */
async function childrenLeft(): Promise<number> {
  const deadline = Date.now() + graceMs;
  while (countChildren() > 0 && Date.now() < deadline) await setTimeout(20);
  return countChildren();
}

function countChildren(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "ProcessWrap").length;
}
