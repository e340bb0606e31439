import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../support/run-command.ts";

async function echo(...words: string[]): Promise<unknown> {
  const { stdout, stderr } = await runCommand(["call", "./shop.mjs", "echo-arguments", ...words]);
  return stdout === "" ? stderr : JSON.parse(stdout);
}

describe("arguments of allspeak call", () => {
  test("are typed by the schema of the tool", async () => {
    expect(await echo("count=3", "price=2.5", "fresh=true", "code=007")).toEqual({
      count: 3,
      price: 2.5,
      fresh: true,
      code: "007",
    });
    expect(await echo("price=null", "colour=3")).toEqual({ price: null, colour: 3 });
  });

  test("may be JSON, lists and members of objects", async () => {
    expect(
      await echo('tags:=["x","y"]', "sizes=1", "sizes=2", "address.city=Oslo", "address.floor=4"),
    ).toEqual({
      tags: ["x", "y"],
      sizes: [1, 2],
      address: { city: "Oslo", floor: 4 },
    });
  });

  test("may come as JSON on standard input, and the command line wins", async () => {
    const line = ["call", "./shop.mjs", "echo-arguments", "-", "count=2"];
    const { stdout } = await runCommand(line, { stdin: '{"count":1,"code":"a"}' });
    expect(JSON.parse(stdout)).toEqual({ count: 2, code: "a" });
  });

  test("are read from standard input when none are given and some are required", async () => {
    const { stdout } = await runCommand(["call", "everything", "greet"], { stdin: '{"name":"Ada"}' });
    expect(stdout).toBe("Hello, Ada!\n");
  });

  test("that do not fit are refused with the schema's errors, before the call", async () => {
    const { code, stderr } = await runCommand([
      "call",
      "./shop.mjs",
      "echo-arguments",
      "count=0",
      "fresh=maybe",
    ]);
    expect(stderr).toContain("- count:");
    expect(stderr).toContain("- fresh:");
    expect(code).toBe(2);
  });

  test("that are required and have a default may be left out", async () => {
    const { stdout } = await runCommand(["call", "./shop.mjs", "take-picture"]);
    expect(JSON.parse(stdout)).toEqual({ scale: "css" });
    const given = await runCommand(["call", "./shop.mjs", "take-picture", "scale=device"]);
    expect(JSON.parse(given.stdout)).toEqual({ scale: "device" });
  });

  test("that are missing are named where nobody can be asked", async () => {
    const { code, stderr } = await runCommand(["call", "./shop.mjs", "sum", "a=1"]);
    expect(stderr).toMatch(/- b: /);
    expect(code).toBe(2);
  });

  test.each([
    [["coumt=1"], 'no argument "coumt"; did you mean "count"?'],
    [["count"], "An argument is key=value or key:=json"],
    [["tags:=[1"], "is not JSON"],
    [["count=1", "count=2"], "is given twice"],
  ])("%j is a usage error", async (words, message) => {
    expect(await echo(...words)).toContain(message);
  });
});

describe("allspeak call", () => {
  test("shows structured content once", async () => {
    const { stdout } = await runCommand(["call", "./shop.mjs", "sum", "a=1", "b=2"]);
    expect(JSON.parse(stdout)).toEqual({ sum: 3 });
  });

  test("writes the whole result as JSON for machines", async () => {
    const { stdout } = await runCommand(["call", "./shop.mjs", "sum", "a=1", "b=2", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { sum: 3 }, content: [{ type: "text" }] });
  });

  test("ends with 1 when the tool fails, and shows what it said", async () => {
    const { code, stdout } = await runCommand(["call", "everything", "test_error_handling"]);
    expect([code, stdout]).toEqual([1, "This tool intentionally returns an error for testing\n"]);
  });

  test("suggests the tool that was meant", async () => {
    const { code, stderr } = await runCommand(["call", "everything", "great"]);
    expect(stderr).toContain('no tool "great"; did you mean "greet"?');
    expect(code).toBe(2);
  });

  test("escapes what a terminal would obey, and what hides or reorders text", async () => {
    const { stdout } = await runCommand(["call", "./shop.mjs", "hostile"]);
    expect(stdout).toBe(`${String.raw`a\u{1b}[31mred\u{d}b\u{202e}gnp.exe\u{200b}\u{7}\u{9b}1m`}\n`);
  });

  test("a destructive tool needs a yes", async () => {
    const refused = await runCommand(["call", "./shop.mjs", "remove"]);
    expect(refused.stderr).toContain("--yes allows it");
    expect(refused.code).toBe(6);
    expect((await runCommand(["call", "./shop.mjs", "remove", "--yes"])).stdout).toBe("Removed.\n");
  });

  test("names images that it can't show, and saves them when it is told where", async () => {
    const line = ["call", "everything", "test_image_content"];
    expect((await runCommand(line)).stdout).toMatch(
      /^\[image, image\/png, \d+ bytes; --out FOLDER saves it\]\n$/,
    );
    const folder = await mkdtemp(join(tmpdir(), "allspeak-out-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await runCommand([...line, "--out", folder]);
    await runCommand([...line, "--out", folder]);
    expect(await readdir(folder)).toEqual(["content-1.png", "content-2.png"]);
  });

  test("a question that nobody can answer ends the call, and says what to do", async () => {
    const { code, stderr } = await runCommand(["call", "everything", "test_elicitation", "message=Who?"]);
    expect(stderr).toContain('The tool asks "Who?", and there is no terminal to answer it at.');
    expect(stderr).toContain("--answer username=<string> --answer email=<string>");
    expect(stderr).not.toContain("elicit");
    expect(code).toBe(6);
  });

  test("a text that the structured content only wraps is shown once", async () => {
    const { stdout } = await runCommand(["call", "./wordy.mjs", "wraps"]);
    expect(stdout).toBe("Hello there\n");
    expect((await runCommand(["call", "./wordy.mjs", "adds"])).stdout).toContain('"more": 1');
  });

  test("--answer answers the questions of the server, by their schema", async () => {
    const line = ["call", "everything", "test_elicitation", "message=Who?"];
    const answered = await runCommand([
      ...line,
      "--answer",
      "username=Ada",
      "--answer",
      "email=ada@example.com",
    ]);
    expect(answered.stdout).toContain("Ada");
    expect(answered.code).toBe(0);
    const wrong = await runCommand([...line, "--answer", "usernam=Ada"]);
    expect(wrong.stderr).toContain("Its keys: username, email");
    expect(wrong.code).toBe(2);
  });
});
