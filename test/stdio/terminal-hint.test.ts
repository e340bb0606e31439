import { PassThrough } from "node:stream";
import { createServer } from "allspeak";
import { serveStdio } from "allspeak/node";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.restoreAllMocks());

/** What is written to stderr when a server is served on this input. */
async function stderrOf(input: PassThrough): Promise<string> {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const server = createServer({ name: "test", version: "1.0.0" });
  const running = await serveStdio(server, { input, output: new PassThrough(), watchParent: false });
  await running.close();
  return written.mock.calls.map(([chunk]) => String(chunk)).join("");
}

test("a stdio server that a person started in a terminal says what it waits for, and how to start it", async () => {
  const text = await stderrOf(Object.assign(new PassThrough(), { isTTY: true }));
  expect(text).toContain("waits for a client on its standard input");
  expect(text).toContain('"command":"node","args":["');
});

test("the command that it advises has the arguments that it was started with", async () => {
  vi.spyOn(process, "argv", "get").mockReturnValue(["/bin/node", "/app/st.mjs", "--foo", "b c"]);
  vi.spyOn(process, "execArgv", "get").mockReturnValue(["--import", "tsx"]);
  const text = await stderrOf(Object.assign(new PassThrough(), { isTTY: true }));
  expect(text).toContain(
    ' {"command":"node","args":["--import","tsx","/app/st.mjs","--foo","b c"]}. Ctrl-C ends it.\n',
  );
});

test("a stdio server that a client started writes nothing", async () => {
  expect(await stderrOf(new PassThrough())).toBe("");
});
