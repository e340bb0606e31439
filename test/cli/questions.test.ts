// Questions of a server where there is no terminal.
import { createServer, tool } from "allspeak";
import { serveHttp } from "allspeak/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { runCommand } from "./support/run-command.ts";

const order = tool("order", {}, async (_args, ctx) => {
  const answer = await ctx.elicit(
    "order",
    "Which soup, and how many?",
    z.object({ soup: z.enum(["leek", "pea"]), count: z.number().int(), note: z.string().optional() }),
  );
  return answer.action === "accept" ? `${answer.content.count} ${answer.content.soup}` : answer.action;
});
const maybe = tool("maybe", {}, async (_args, ctx) => {
  const asks = ctx.client.capabilities.elicitation !== undefined;
  return asks ? (await ctx.elicit("sure", "Sure?", z.object({ yes: z.boolean() }))).action : "did not ask";
});
const haiku = tool("haiku", {}, async (_args, ctx) => {
  const ask = (id: string) =>
    ctx.sample(id, { maxTokens: 9, messages: [{ role: "user", content: { type: "text", text: id } }] });
  return JSON.stringify([(await ask("first")).content, (await ask("second")).content]);
});
const visit = tool("visit", {}, async (_args, ctx) => {
  return (await ctx.elicit("login", "Please log in", { url: "https://login.example.com/a?state=01" })).action;
});

async function serve(): Promise<string> {
  const server = createServer({
    name: "asks",
    version: "1",
    log: () => {},
    tools: [order, maybe, haiku, visit],
  });
  const { url, close } = await serveHttp(server);
  onTestFinished(() => close(0));
  return url;
}

describe.each(["2025-11-25", "2026-07-28"])("in %s a request to a model", (revision) => {
  const callHaiku = async (...answers: string[]) =>
    runCommand(["call", await serve(), "haiku", "--revision", revision, ...answers]);

  test("takes the next answer of the command line", async () => {
    const { code, stdout, stderr } = await callHaiku("--model-answer", "frog", "--model-answer", "pond");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual([
      { type: "text", text: "frog" },
      { type: "text", text: "pond" },
    ]);
  });

  test("ends with 6 if there is no answer left", async () => {
    const { code, stdout, stderr } = await callHaiku("--model-answer", "frog");
    expect(stderr).toContain("there is no further --model-answer");
    expect([code, stdout]).toEqual([6, ""]);
  });

  test("ends with 6 if there is no answer, and says how to give one", async () => {
    const { code, stdout, stderr } = await callHaiku();
    expect(stderr).toContain(
      "The tool wants an answer from a model, and there is no terminal to write one at.",
    );
    expect(stderr).toContain("--model-answer TEXT");
    expect([code, stdout]).toEqual([6, ""]);
  });
});

describe.each(["2025-11-25", "2026-07-28"])("in %s a question without a terminal", (revision) => {
  test("is shown with the way to answer it, and ends with 6", async () => {
    const { code, stdout, stderr } = await runCommand([
      "call",
      await serve(),
      "order",
      "--revision",
      revision,
    ]);
    expect(stderr).toContain('The tool asks "Which soup, and how many?", and there is no terminal');
    expect(stderr).toContain(
      '--answer soup=<"leek" | "pea"> --answer count=<integer> [--answer note=<string>]',
    );
    expect([code, stdout]).toEqual([6, ""]);
  });

  test("is JSON with --json", async () => {
    const line = ["call", await serve(), "order", "--revision", revision, "--json"];
    const { code, stderr } = await runCommand(line);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        message: expect.stringContaining("Which soup"),
        hint: expect.stringContaining("--answer soup="),
      },
    });
    expect(code).toBe(6);
  });

  test("shows the page that it is about", async () => {
    const { code, stderr } = await runCommand(["call", await serve(), "visit", "--revision", revision]);
    expect(stderr).toContain("https://login.example.com/a?state=01");
    expect(code).toBe(6);
  });

  test("is not put to a client that takes none, with --no-input", async () => {
    const line = ["call", await serve(), "maybe", "--revision", revision, "--no-input"];
    const { code, stdout } = await runCommand(line);
    expect([code, stdout]).toEqual([0, "did not ask\n"]);
  });
});
