import type { RevisionName } from "allspeak";
import type { ConnectOptions } from "allspeak/client";
import { expect, it } from "vitest";
import { readText } from "../matrix/read-text.ts";
import { describeRevisions, type Place } from "../matrix/revisions.ts";

/** Revisions in which a call can become a task. */
const hasTasks = (revision: RevisionName) => revision >= "2025-11-25";
/** Whether the user can be asked. */
const asks = ({ since }: Pick<Place, "since">) => since({ "2024-11-05": false, "2025-06-18": true });

const names = { "First name?": "Ada", "Last name?": "Byron", "Sure?": "yes", "Who?": "Ada" };
const handlers: ConnectOptions = {
  tasks: true,
  elicit: async ({ message }) => ({
    action: "accept",
    content: { name: names[message as keyof typeof names] },
  }),
  sample: async () => ({ role: "assistant", content: { type: "text", text: "rain" }, model: "m" }),
};

describeRevisions(
  "calls that may become tasks",
  ({ open, revision, since }) => {
    it("give the result of the call, be they tasks or not", async () => {
      const { client, wire } = await open();
      const task = hasTasks(revision);
      expect(readText(await client.tools.call("add", { a: 2, b: 3 }, { task }))).toBe("5");
      const answer = wire.result("tools/call");
      expect("task" in answer || answer.resultType === "task").toBe(task);
    });

    it("run in mounted servers as well", async () => {
      const { client } = await open();
      const result = await client.tools.call("inner_add", { a: 2, b: 3 }, { task: hasTasks(revision) });
      expect(readText(result)).toBe("5");
    });

    it("run where they must be tasks, or are refused in plain words", async () => {
      const { client } = await open();
      const called = client.tools.call("must", {}, { task: hasTasks(revision) });
      if (hasTasks(revision)) expect(readText(await called)).toBe("in a task");
      else
        await expect(called).rejects.toThrow(
          /runs only as a task, and revision [\d-]+ of the protocol has none/,
        );
    });

    it("fail as calls do", async () => {
      const { client } = await open();
      const task = hasTasks(revision);
      const failed = await client.tools.call("fails", {}, { task });
      expect(failed.isError).toBe(true);
      expect(readText(failed)).toBe("no luck");
      await expect(client.tools.call("breaks", {}, { task })).rejects.toMatchObject({
        code: "rpc",
        wireCode: -32050,
        message: "broken",
        data: { part: 1 },
      });
    });

    it("ask before they become tasks", async () => {
      const { client } = await open(handlers);
      const called = client.tools.call("asks-first", {}, { task: hasTasks(revision) });
      if (!asks({ since })) return expect((await called).isError).toBe(true);
      expect(readText(await called)).toBe(`for Ada in a ${hasTasks(revision) ? "task" : "call"}`);
    });
  },
  { fixture: "working", connect: { tasks: true } },
);
