import { describe, expect, test } from "vitest";
import { toWindowsCommand } from "../../../src/transports/stdio/windows-command.ts";

const shell = "C:\\Windows\\System32\\cmd.exe";
const nodeFolder = "C:\\Program Files\\nodejs";

function on(files: readonly string[], env: Record<string, string> = { Path: `C:\\Windows;${nodeFolder}` }) {
  const known = new Set(files.map((file) => file.toLowerCase()));
  return { shell, env, cwd: "C:\\work", isFile: (path: string) => known.has(path.toLowerCase()) };
}

/** The line that cmd.exe gets, without the quotes that it takes off. */
function lineFor(args: readonly string[]): string {
  const { args: given } = toWindowsCommand("npx", args, on([`${nodeFolder}\\npx.cmd`]));
  return (given.at(-1) ?? "").slice(1, -1);
}

describe("finding the program", () => {
  test("a program is started as it is", () => {
    const command = toWindowsCommand("node", ["a b"], on([`${nodeFolder}\\node.exe`]));
    expect(command).toEqual({ file: `${nodeFolder}\\node.exe`, args: ["a b"], verbatim: false });
  });

  test("npx is a batch file, which cmd.exe runs", () => {
    const command = toWindowsCommand(
      "npx",
      ["-y", "server"],
      on([`${nodeFolder}\\npx`, `${nodeFolder}\\npx.cmd`]),
    );
    expect(command).toEqual({
      file: shell,
      args: ["/e:on", "/v:off", "/d", "/s", "/c", `""${nodeFolder}\\npx.cmd" "-y" "server""`],
      verbatim: true,
    });
  });

  test("the order of PATHEXT decides, and an ending that is given is kept", () => {
    const files = on(["C:\\bin\\tool.cmd", "C:\\bin\\tool.exe"], { PATH: "C:\\bin", PATHEXT: ".CMD;.EXE" });
    expect(toWindowsCommand("tool", [], files).verbatim).toBe(true);
    expect(toWindowsCommand("tool.exe", [], files).file).toBe("C:\\bin\\tool.exe");
  });

  test("a path is resolved from the working folder, a bare name never is", () => {
    const files = on(["C:\\work\\bin\\run.cmd", "C:\\work\\run.cmd", "D:\\run.cmd"]);
    expect(toWindowsCommand("bin\\run", [], files).args.at(-1)).toContain("C:\\work\\bin\\run.cmd");
    expect(toWindowsCommand("D:\\run", [], files).args.at(-1)).toContain('"D:\\run.cmd"');
    expect(toWindowsCommand("run", [], files)).toEqual({ file: "run", args: [], verbatim: false });
  });

  test("what can't be found is left to the system to refuse", () => {
    expect(toWindowsCommand("nothing", ["x"], on([]))).toEqual({
      file: "nothing",
      args: ["x"],
      verbatim: false,
    });
  });
});

describe("quoting for cmd.exe", () => {
  test.each([
    ["plain", '"plain"'],
    ["", '""'],
    ["with space", '"with space"'],
    ["a&calc", '"a&calc"'],
    ["^caret|pipe<>", '"^caret|pipe<>"'],
    ['a" & calc "', '"a"" & calc """'],
    ['back\\"slash', '"back\\\\""slash"'],
    ["trailing\\", '"trailing\\\\"'],
    ["%PATH%", '"%%cd:~,%PATH%%cd:~,%"'],
    ["!VAR!", '"!VAR!"'],
  ])("%j", (argument, quoted) => {
    expect(lineFor([argument])).toBe(`"${nodeFolder}\\npx.cmd" ${quoted}`);
  });

  test("quotes stay paired whatever an argument holds, so that nothing ends up outside of them", () => {
    for (const argument of ['"', '""', '\\"', '"&"', 'a"b"c&d', '\\\\"\\']) {
      const quotes = [...lineFor([argument])].filter((character) => character === '"');
      expect(quotes.length % 2, argument).toBe(0);
    }
  });

  test.each(["a\nb", "a\rb", "a\0b"])("what cmd.exe would cut in two is refused: %j", (argument) => {
    expect(() => lineFor([argument])).toThrow(/line breaks/);
  });

  test("the refusal does not repeat the argument", () => {
    expect(() => lineFor(["secret\n"])).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("secret") }),
    );
  });
});
