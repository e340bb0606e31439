import { describe, expect, test } from "vitest";
import { listProcesses, membersAndDescendants } from "../../../src/transports/stdio/process-list.ts";

const entry = (pid: number, parent: number, group: number) => ({ pid, parent, group, isZombie: false });

describe("the processes that belong together", () => {
  test("are the members of the group and all that descend from them", () => {
    const entries = [
      entry(1, 0, 1),
      entry(10, 1, 10),
      // Listed before its parent, and in a group of its own.
      entry(13, 12, 13),
      entry(11, 10, 10),
      entry(12, 11, 12),
      // An orphan that stayed in the group.
      entry(14, 1, 10),
      entry(20, 1, 20),
    ];
    expect([...membersAndDescendants(10, entries)].sort()).toEqual([10, 11, 12, 13, 14]);
  });

  test("are found although their leader is gone", () => {
    expect([...membersAndDescendants(10, [entry(14, 1, 10), entry(15, 14, 15)])]).toEqual([14, 15]);
    expect([...membersAndDescendants(10, [entry(20, 1, 20)])]).toEqual([]);
  });
});

test("this process is on the list, under its parent", async () => {
  const ours = (await listProcesses()).find(({ pid }) => pid === process.pid);
  expect(ours).toMatchObject({ parent: process.ppid, isZombie: false });
});
