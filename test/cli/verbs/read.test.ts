import { expect, test } from "vitest";
import { runCommand } from "../support/run-command.ts";

test("allspeak read shows the text of a resource", async () => {
  const { code, stdout } = await runCommand(["read", "everything", "test://static-text"]);
  expect([code, stdout]).toEqual([0, "This is the content of the static text resource.\n"]);
});

test("allspeak read fills in a template", async () => {
  const line = ["read", "everything", "test://template/{id}/data", "id=7", "--json"];
  const { stdout } = await runCommand(line);
  expect(JSON.parse(stdout)).toMatchObject({ contents: [{ uri: "test://template/7/data" }] });
});

test("a resource that does not exist ends with 5", async () => {
  const { code, stderr } = await runCommand(["read", "everything", "test://nothing"]);
  expect(stderr).toContain("error:");
  expect(code).toBe(5);
});
