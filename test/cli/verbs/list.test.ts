import { createServer } from "allspeak";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../support/run-command.ts";

describe("allspeak list", () => {
  test("shows the tools, resources and prompts of the demo server", async () => {
    const { code, stdout, stderr } = await runCommand(["list", "everything"]);
    expect(stdout).toMatch(/^Everything 1\.0\.0 \(\d{4}-\d\d-\d\d\)\n/);
    expect(stdout).toMatch(/Tools \(\d+\)\n/);
    expect(stdout).toMatch(/ {2}greet\(name\) +Answers at once/);
    expect(stdout).toContain("test://static-text text/plain");
    expect(stdout).toContain("test://template/{id}/data");
    expect(stdout).toContain("test_prompt_with_arguments(arg1 arg2)");
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("shows one kind, with whole descriptions and arguments, when it is asked to", async () => {
    const { stdout } = await runCommand(["list", "./shop.mjs", "tools", "--long"]);
    expect(stdout).toContain("count: integer (optional)");
    expect(stdout).toContain("price: number | null (optional)");
    expect(stdout).toContain("sizes: number[] (optional)");
    expect(stdout).toContain("says that it is destructive");
    expect(stdout).not.toContain("Prompts");
  });

  test("writes JSON for machines", async () => {
    const { stdout } = await runCommand(["list", "./shop.mjs", "--json"]);
    const { server, tools } = JSON.parse(stdout);
    expect(server.info.name).toBe("shop");
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      "echo-arguments",
      "remove",
      "hostile",
      "sum",
      "take-picture",
    ]);
  });

  test("never passes on what a terminal would obey", async () => {
    const { stdout } = await runCommand(["list", "./shop.mjs"]);
    expect(stdout).toContain(String.raw`\u{1b}[2J\u{1b}]0;title\u{7} clears your screen`);
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u);
  });

  test("cuts no description where no terminal is narrow", async () => {
    const { stdout } = await runCommand(["list", "./wordy.mjs"]);
    expect(stdout).toContain(`${"very ".repeat(60)}long`);
  });

  test("begins with what a person wants of the demo", async () => {
    const { stdout } = await runCommand(["list", "everything", "tools", "--json"]);
    const names = JSON.parse(stdout).tools.map(({ name }: { name: string }) => name) as string[];
    const first = names.findIndex((name) => /^(test_|json_schema)/.test(name));
    expect(names[0]).toBe("greet");
    expect(names.slice(first).filter((name) => !/^(test_|json_schema)/.test(name))).toEqual([]);
  });

  test("lists the servers of a file where no target is named", async () => {
    const { code, stdout } = await runCommand(["list", "--config", "hosts.json"]);
    expect(stdout).toContain("docs  https://example.com/mcp");
    expect(stdout).toContain("files  npx -y some-server");
    expect(stdout).not.toContain("secret-value");
    expect(code).toBe(0);
    const json = await runCommand(["list", "--config", "hosts.json", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      servers: [
        { name: "files", command: "npx", args: ["-y", "some-server"] },
        { name: "docs", url: "https://example.com/mcp" },
      ],
    });
  });

  test("needs a target without a file", async () => {
    const { code, stderr } = await runCommand(["list"]);
    expect(stderr).toContain("list needs <target>");
    expect(code).toBe(2);
  });

  test("speaks the revision that it is told to", async () => {
    const { stdout } = await runCommand(["list", "everything", "--revision", "2025-06-18"]);
    expect(stdout).toContain("(2025-06-18)");
  });

  test("a kind that does not exist is a usage error", async () => {
    const { code, stderr } = await runCommand(["list", "everything", "gadgets"]);
    expect(stderr).toContain('not "gadgets"');
    expect(code).toBe(2);
  });
});

test("allspeak list reaches a server of another machine without encryption, and sends it no credentials", async () => {
  const running = await serveHttp(createServer({ name: "plain", version: "1.0.0" }), {
    allowedHosts: ["0.0.0.0"],
  });
  onTestFinished(() => running.close());
  const { code, stdout, stderr } = await runCommand(["list", running.url.replace("127.0.0.1", "0.0.0.0")]);
  expect(stderr).toBe("");
  expect(stdout).toContain("plain 1.0.0");
  expect(code).toBe(0);
});
