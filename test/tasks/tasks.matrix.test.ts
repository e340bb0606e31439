import type { RevisionName } from "allspeak";
import type { ConnectOptions } from "allspeak/client";
import { expect, it } from "vitest";
import { describeMatrix } from "../matrix/matrix.ts";
import type { Place } from "../matrix/place.ts";
import { readText } from "../matrix/read-text.ts";

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

describeMatrix(
  "calls that may become tasks",
  ({ name, open, revision, since, transport }) => {
    it("ask in their middle, and do once what is done once", async () => {
      const { client } = await open(handlers);
      const called = client.tools.call("asks", { seed: name }, { task: hasTasks(revision) });
      if (asks({ since })) expect(readText(await called)).toBe("1 Ada Byron accept 1");
      else expect((await called).isError).toBe(true);
      expect(readText(await client.tools.call("samples", {}, { task: hasTasks(revision) }))).toBe("rain");
    });

    it("end when they are given up", async () => {
      const { client } = await open();
      const controller = new AbortController();
      const options = hasTasks(revision)
        ? { task: true, onTask: () => controller.abort("enough") }
        : { onProgress: () => controller.abort("enough") };
      const called = client.tools.call("sleeps", {}, { ...options, signal: controller.signal });
      await expect(called).rejects.toMatchObject({ code: "cancelled" });
    });

    it("can be looked up, gone on with and cancelled by id", async () => {
      const { client } = await open();
      if (!hasTasks(revision)) {
        await expect(client.tasks.get("any")).rejects.toMatchObject({ code: "not-in-revision" });
        return;
      }
      let id = "";
      const begun = new Promise<void>((resolve) => {
        const onTask = ({ taskId }: { taskId: string }) => {
          id = taskId;
          resolve();
        };
        client.tools.call("sleeps", {}, { task: true, onTask }).catch(() => {});
      });
      await begun;
      // Each client of a command has a server of its own.
      const another = transport === "stdio" ? client : (await open({})).client;
      expect(await another.tasks.get(id)).toMatchObject({ taskId: id, status: "working" });
      const resumed = expect(another.tasks.resume(id)).rejects.toThrow("The task was cancelled");
      await client.tasks.cancel(id);
      await resumed;
      expect(await client.tasks.get(id)).toMatchObject({ status: "cancelled" });
    });
  },
  { fixture: "working", connect: { tasks: true } },
);
