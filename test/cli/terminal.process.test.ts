import { describe, expect, test } from "vitest";
import { fixtures, temporaryFolder } from "./support/program.ts";
import { hasTerminal, runAtTerminal, type Step } from "./support/terminal.ts";

const esc = String.fromCharCode(27);
const [enter, down, space, ctrlC] = ["\r", `${esc}[B`, " ", "\u0003"];

/** The line of an open question. */
const prompt = (message: string) => `◆${esc}[39m  ${message}`;

function play(line: readonly string[], steps: readonly Step[] = [], env: Record<string, string> = {}) {
  return runAtTerminal(line, steps, { cwd: fixtures, home: temporaryFolder(), env });
}

describe.runIf(hasTerminal)("at a terminal", () => {
  test("there are colours, unless they are switched off", async () => {
    const line = ["list", "./shop.mjs"];
    expect((await play(line)).raw).toContain(`${esc}[1mshop${esc}[22m`);
    expect((await play(line, [], { NO_COLOR: "1" })).raw).not.toContain(esc);
    expect((await play([...line, "--no-color"])).raw).not.toContain(esc);
  });

  test("progress is a bar on one line, which is gone at the end", async () => {
    const { raw, text, code } = await play(["call", "everything", "test_tool_with_progress"]);
    expect(text).toMatch(/█{12}.*50 %/);
    expect(raw).toMatch(/\[2KProgress was reported to/);
    expect(code).toBe(0);
  });

  test("progress stays on one line of a narrow terminal", async () => {
    const line = ["call", "everything", "test_tool_with_progress"];
    const { raw } = await play(line, [], { TERMINAL_COLUMNS: "20" });
    const shown = raw.split(`${esc}[2K`).flatMap((part) => /[█░]+.*?%[^\r\n]*/.exec(part) ?? []);
    expect(shown.length).toBeGreaterThan(1);
    const widths = shown.map((bar) => bar.replaceAll(new RegExp(`${esc}\\[\\d+m`, "g"), "").length);
    expect(Math.max(...widths)).toBeLessThan(20);
  });

  test.each([
    ["xterm-kitty", { TERM: "xterm-kitty" }, `${esc}_G`],
    ["iTerm", { TERM_PROGRAM: "iTerm.app" }, `${esc}]1337;File=`],
  ])("an image is shown where the terminal is %s", async (_name, env, start) => {
    const { raw, code } = await play(["call", "everything", "test_image_content"], [], env);
    expect(raw).toContain(start);
    expect(code).toBe(0);
  });

  test("required arguments that are missing are asked for", async () => {
    const { text, code } = await play(
      ["call", "./shop.mjs", "sum", "a=1"],
      [
        { expect: "b", send: "x" },
        { expect: "x", send: enter },
        { expect: "Not a number", send: `\u007f41${enter}` },
      ],
    );
    expect(text).toContain('"sum": 42');
    expect(code).toBe(0);
  });

  test("a question of the server is shown, and answered with a form", async () => {
    const { text, code } = await play(
      ["call", "everything", "test_elicitation", "message=Who are you?"],
      [
        { expect: "Who are you?" },
        { expect: "Answer?", send: enter },
        { expect: "username", send: `ada${enter}` },
        { expect: "email", send: `ada@example.com${enter}` },
      ],
    );
    expect(text).toContain('action=accept, content={"username":"ada","email":"ada@example.com"}');
    expect(code).toBe(0);
  });

  test("a question has no colours and weights where they are switched off", async () => {
    const { raw, text } = await play(
      ["call", "everything", "test_elicitation", "message=Who?"],
      [
        { expect: "Answer?", send: enter },
        { expect: "username", send: `ada${enter}` },
        { expect: "email", send: `ada@example.com${enter}` },
      ],
      { NO_COLOR: "1" },
    );
    expect(text).toContain("action=accept");
    expect(raw.match(new RegExp(`${esc}\\[[\\d;]*m`, "g"))).toBeNull();
  });

  test("a terminal that says it has no columns shows questions all the same", async () => {
    const { text } = await play(
      ["call", "everything", "test_elicitation", "message=Who?"],
      [{ expect: "Not now", send: `${down}${enter}` }],
      { TERMINAL_COLUMNS: "0" },
    );
    expect(text).toContain("Answer?");
    expect(text).toContain("action=decline");
  });

  test("a question can be declined", async () => {
    const { text } = await play(
      ["call", "everything", "test_elicitation", "message=Who?"],
      [{ expect: "Answer?", send: `${down}${enter}` }],
    );
    expect(text).toContain("action=decline");
  });

  test("every kind of choice can be made", async () => {
    const { text } = await play(
      ["call", "everything", "test_elicitation_sep1330_enums"],
      [
        { expect: "Answer?", send: enter },
        { expect: prompt("untitledSingle"), send: `${down}${enter}` },
        { expect: prompt("titledSingle"), send: `${down}${down}${enter}` },
        { expect: prompt("legacyEnum"), send: `${down}${enter}` },
        { expect: prompt("untitledMulti"), send: `${space}${enter}` },
        { expect: prompt("titledMulti"), send: enter },
      ],
    );
    expect(text).toContain('"untitledSingle":"option1"');
    expect(text).toContain('"titledSingle":"value2"');
    expect(text).toContain('"legacyEnum":"opt1"');
    expect(text).toContain('"untitledMulti":["option1"]');
  });

  test("the URL of a page is shown whole, and never opened", async () => {
    const { text, code } = await play(
      ["call", "./asking.mjs", "visit"],
      [
        { expect: "https://login.example.com/a?state=0123456789", send: "" },
        { expect: "I have opened it", send: enter },
      ],
    );
    expect(text).toContain("site: login.example.com");
    expect(text).toContain("visited: accept");
    expect(code).toBe(0);
  });

  test("a form that asks for a password, and a site with letters of other alphabets, are flagged", async () => {
    const form = await play(
      ["call", "./asking.mjs", "phish"],
      [
        { expect: 'It asks for "pass_word"' },
        { expect: "Answer?", send: `${down}${enter}` },
        { expect: "letters beyond a to z" },
        { expect: "I have opened it", send: `${down}${enter}` },
      ],
    );
    expect(form.text).toContain("decline decline");
  });

  test("a model's answer is written by the person, or refused", async () => {
    const line = ["call", "everything", "test_sampling", "prompt=Capital of Norway?"];
    const answered = await play(line, [
      { expect: "Capital of Norway?" },
      { expect: "in place of a model", send: "y" },
      { expect: "Your answer", send: `Oslo${enter}` },
    ]);
    expect(answered.text).toContain("LLM response: Oslo");
    const refused = await play(line, [{ expect: "in place of a model", send: "n" }]);
    expect(refused.code).not.toBe(0);
  });

  test("a destructive tool runs after a yes, and not after a no", async () => {
    const line = ["call", "./shop.mjs", "remove"];
    expect((await play(line, [{ expect: "destructive", send: "y" }])).text).toContain("Removed.");
    expect((await play(line, [{ expect: "destructive", send: "n" }])).code).toBe(6);
  });

  test("Ctrl-D ends a question", async () => {
    const { code } = await play(
      ["call", "./asking.mjs", "visit"],
      [{ expect: "then choose:", send: "\u0004" }],
    );
    expect(code).toBe(130);
  });

  test("Ctrl-C ends a question and a call", async () => {
    expect((await play(["call", "./shop.mjs", "sum"], [{ expect: "a", send: ctrlC }])).code).toBe(130);
    const slow = await play(["call", "./asking.mjs", "wait"], [{ expect: "waiting", send: ctrlC }]);
    expect(slow.code).toBe(130);
    expect(slow.text).not.toContain("    at ");
  });
});
