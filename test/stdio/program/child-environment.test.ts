import { describe, expect, test } from "vitest";
import { toChildEnvironment } from "../../../src/transports/stdio/child-environment.ts";

const ours = {
  HOME: "/home/me",
  PATH: "/bin",
  LANG: "C",
  LC_ALL: "C.UTF-8",
  XDG_RUNTIME_DIR: "/run/user/1",
  TERM: "() { :; }; echo hello",
  OPENAI_API_KEY: "secret",
  AWS_SECRET_ACCESS_KEY: "secret",
  HTTPS_PROXY: "http://me:secret@proxy",
  NODE_OPTIONS: "--require ./x.js",
  home: "not HOME",
};

describe("the environment of a child", () => {
  test("by default it has what programs need, and no credentials", () => {
    expect(toChildEnvironment({}, ours, "linux")).toEqual({
      HOME: "/home/me",
      PATH: "/bin",
      LANG: "C",
      LC_ALL: "C.UTF-8",
      XDG_RUNTIME_DIR: "/run/user/1",
    });
  });

  test("what is given comes on top", () => {
    const env = toChildEnvironment(
      { env: { PATH: "/opt", TOKEN: "x" } },
      { PATH: "/bin", HOME: "/" },
      "linux",
    );
    expect(env).toEqual({ PATH: "/opt", HOME: "/", TOKEN: "x" });
  });

  test("a list adds names, or all that begin alike", () => {
    const env = toChildEnvironment({ inheritEnv: ["HTTPS_PROXY", "AWS_*"] }, ours, "linux");
    expect(Object.keys(env).sort()).toEqual(
      ["AWS_SECRET_ACCESS_KEY", "HOME", "HTTPS_PROXY", "LANG", "LC_ALL", "PATH", "XDG_RUNTIME_DIR"].sort(),
    );
  });

  test("true passes everything on but shell functions, false nothing", () => {
    const { TERM: _, ...rest } = ours;
    expect(toChildEnvironment({ inheritEnv: true }, ours, "linux")).toEqual(rest);
    expect(toChildEnvironment({ inheritEnv: false, env: { A: "1" } }, ours, "linux")).toEqual({ A: "1" });
  });

  test("on Windows names are told apart without regard to case", () => {
    const windows = { Path: "C:\\Windows", SystemRoot: "C:\\Windows", ComSpec: "cmd.exe", API_KEY: "secret" };
    expect(toChildEnvironment({}, windows, "win32")).toEqual({
      Path: "C:\\Windows",
      SystemRoot: "C:\\Windows",
      ComSpec: "cmd.exe",
    });
    expect(toChildEnvironment({ env: { PATH: "D:\\" }, inheritEnv: ["api_key"] }, windows, "win32")).toEqual({
      PATH: "D:\\",
      SystemRoot: "C:\\Windows",
      ComSpec: "cmd.exe",
      API_KEY: "secret",
    });
  });
});
