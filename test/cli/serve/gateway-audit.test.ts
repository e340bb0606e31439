import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { AuditFile } from "../../../src/cli/serve/audit-file.ts";
import { plainEntry } from "../../host/fixtures/servers.ts";
import { Queue } from "../../support/queue.ts";
import { createProject } from "../support/project.ts";
import { runCommand } from "../support/run-command.ts";

const createFolder = () =>
  createProject({ "mcp.json": JSON.stringify({ mcpServers: { a: plainEntry("read") } }) });

test.each([
  ["in a folder that is missing", "missing/calls.jsonl", "ENOENT"],
  ["that is a folder", ".", "EISDIR"],
])("an audit file %s ends the command before it serves", async (_, file, reason) => {
  const { code, stderr, stdout } = await runCommand(["gateway", "mcp.json", "--audit", file], {
    cwd: createFolder(),
  });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(`The audit file can't be opened: ${reason}`);
});

test.skipIf(!existsSync("/dev/full"))(
  "an audit file on a full disk is reported once, and nothing fails",
  async () => {
    const failures = new Queue<Error>();
    const file = await AuditFile.open("/dev/full", (problem) => failures.push(problem));
    file.add("one");
    expect((await failures.next()).message).toContain("gets no more lines until a restart: ENOSPC");
    file.add("two");
    await file.close();
    expect(failures.drain()).toEqual([]);
  },
);
