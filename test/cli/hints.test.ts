// What the command says to somebody who mistyped.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, prompt, RpcError, resource, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { runCommand } from "./support/run-command.ts";

async function serve({ refusing = [] as readonly string[] } = {}): Promise<string> {
  const server = createServer({
    name: "library",
    version: "1",
    tools: [tool("search", { input: z.object({ word: z.string() }) }, () => "found")],
    prompts: [
      prompt("review", { args: { topic: z.string() }, complete: { topic: () => [] } }, () => "Review it."),
    ],
    resources: [
      resource("book://moby-dick", { name: "moby" }, () => "Call me Ishmael."),
      resource("book://shelf/{number}", { name: "shelf" }, () => "many"),
    ],
  });
  server.use((call, next) => {
    if (refusing.includes(call.method)) throw new RpcError(-32603, "Refused here.");
    return next();
  });
  const { url, close } = await serveHttp(server);
  onTestFinished(() => close(0));
  return url;
}

/** What `subscribe` says until it watches. */
async function subscribe(uri: string, options?: Parameters<typeof serve>[0]): Promise<string> {
  const end = new AbortController();
  const onNote = (text: string) => text.includes("Watching") && end.abort();
  const line = ["subscribe", await serve(options), uri];
  return (await runCommand(line, { signal: end.signal, onNote })).stderr;
}

test("subscribe warns of a URI that the server does not list, and watches it all the same", async () => {
  const stderr = await subscribe("book://moby-dik");
  expect(stderr).toContain(
    'The server lists no resource "book://moby-dik"; did you mean "book://moby-dick"?',
  );
  expect(stderr).toContain("Watching book://moby-dik");
});

test.each(["book://moby-dick", "book://shelf/7"])("subscribe does not warn of %s", async (uri) => {
  expect(await subscribe(uri)).not.toContain("lists no resource");
});

test("read tells of a resource with a similar URI", async () => {
  const url = await serve();
  const { code, stderr } = await runCommand(["read", url, "book://moby-dik"]);
  expect(stderr).toContain('did you mean "book://moby-dick"?');
  expect(code).toBe(5);
});

test("bench tells of a tool with a similar name", async () => {
  const url = await serve();
  const { code, stderr } = await runCommand(["bench", url, "serch"]);
  expect(stderr).toContain('The server has no tool "serch"; did you mean "search"?');
  expect(code).toBe(2);
});

test("an option is called as it was written", async () => {
  const { code, stderr } = await runCommand(["bench", "./shop.mjs", "-n", "abc"]);
  expect(stderr).toContain('-n takes a whole number from 1 to 10,000,000, not "abc".');
  expect(code).toBe(2);
});

test("complete says that there is no such argument", async () => {
  const url = await serve();
  const { code, stderr } = await runCommand(["complete", url, "review", "topik=a"]);
  expect(stderr).toContain('"review" has no argument "topik"; did you mean "topic"?');
  expect(code).toBe(2);
});

test("complete says that there is no such variable", async () => {
  const url = await serve();
  const { code, stderr } = await runCommand(["complete", url, "book://shelf/{number}", "nr=1"]);
  expect(stderr).toContain('"book://shelf/{number}" has no argument "nr"; it has number.');
  expect(code).toBe(2);
});

test("complete says that the server suggests nothing", async () => {
  const url = await serve();
  const { code, stdout, stderr } = await runCommand(["complete", url, "review", "topic=a"]);
  expect(stderr).toContain("The server suggests no value for topic.");
  expect([code, stdout]).toEqual([0, ""]);
});

test("call tells where a JSON object goes", async () => {
  const { code, stderr } = await runCommand(["call", await serve(), "search", '{"word":"a=b"}']);
  expect(stderr).toContain("A JSON object goes to standard input");
  expect(stderr).toContain("allspeak call … -");
  expect(code).toBe(2);
});

test("an unknown option that resembles none is told of those that there are", async () => {
  const { code, stderr } = await runCommand(["uninstall", "shop", "--to", "cursor"]);
  expect(stderr).toContain("There is no option --to; there are --from, --project, --yes");
  expect(code).toBe(2);
});

test("new prints a command that a shell takes", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "allspeak-new-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const { stdout } = await runCommand(["new", "It's My Server!"], { cwd });
  expect(stdout).toContain("Next: cd 'It'\\''s My Server!' && npm install && npm test");
});

const lists = ["resources/list", "resources/templates/list", "prompts/list"];

test("a list that the server refuses does not stop subscribe", async () => {
  const stderr = await subscribe("book://moby-dik", { refusing: lists });
  expect(stderr).toContain("Watching book://moby-dik");
  expect(stderr).not.toContain("Refused here.");
});

test("a list that the server refuses does not hide why it refuses to read", async () => {
  const url = await serve({ refusing: lists });
  const { code, stderr } = await runCommand(["read", url, "book://moby-dik"]);
  expect([code, stderr]).toEqual([5, expect.stringContaining("book://moby-dik")]);
  expect(stderr).not.toContain("Refused here.");
});

test("complete goes without a list that the server refuses", async () => {
  const url = await serve({ refusing: lists });
  const { code, stderr } = await runCommand(["complete", url, "review", "topic=a"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("The server suggests no value for topic.")]);
});

test("read names the variables that a template needs", async () => {
  const { code, stderr } = await runCommand(["read", await serve(), "book://shelf/{number}"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("The template needs number; pass it as key=value."),
  ]);
});

test.each([
  ["everything", "test_prompt_with_arguments", "needs arg1, arg2; pass them as key=value."],
  ["everything", "test_prompt_with_arguments", "needs arg2; pass it as key=value.", "arg1=a"],
])("prompt names what is missing from %s %s", async (target, name, said, ...given) => {
  const { code, stderr } = await runCommand(["prompt", target, name, ...given]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
});

test("subscribe refuses to end after no change", async () => {
  const { code, stderr } = await runCommand(["subscribe", "./shop.mjs", "-n", "0"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("-n takes a whole number from 1")]);
});

test("a program that ends for want of a variable which is set here, and not given to it, is named the option", async () => {
  const script = 'console.error("Either FIGMA_API_KEY or OTHER_KEY is required"); process.exit(1)';
  const line = ["list", `${process.execPath} -e '${script}'`];
  const env = { FIGMA_API_KEY: "secret", ANOTHER_KEY: "x" };
  const { code, stderr } = await runCommand(line, { env });
  expect(stderr).toContain("exited with code 1: Either FIGMA_API_KEY or OTHER_KEY is required");
  expect(stderr).toContain('give it the others: --env FIGMA_API_KEY="$FIGMA_API_KEY"\n');
  expect(stderr).not.toContain("secret");
  expect(code).toBe(3);
  const given = await runCommand([...line, "--env", "FIGMA_API_KEY=mine"], { env });
  expect(given.stderr).not.toContain("--env");
});
