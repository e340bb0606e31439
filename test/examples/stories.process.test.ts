// Each example has a program that checks itself; these are run as a reader would run them.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startProgram } from "../cli/support/program.ts";
import { node22 } from "../support/node22.ts";
import { chromium } from "../support/runtimes/chromium.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const programs = [
  "hello/main",
  "everything/client",
  "booking/main",
  "long-job/main",
  "secured/main",
  "bridge/main",
  "gateway/main",
  "typed-client/main",
  "tracing/main",
  "worker/main",
  "frameworks/main",
];

async function run(program: string, node: string = process.execPath): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(node, [`${root}build/examples/${program}.js`]);
  return `${stdout}${stderr}`;
}

describe("the examples that check themselves", () => {
  it.each(programs)("%s finds all as expected", async (program) => {
    expect(await run(program)).toMatch(/All as expected\.\n/);
  });

  it.skipIf(node22 === undefined)("the notes survive a restart where there is SQLite", async () => {
    expect(await run("notes/client", node22)).toMatch(
      /after a restart: .*note:\/\/\/garden.*\nAll as expected/,
    );
  });

  it.skipIf(process.getBuiltinModule("node:sqlite") !== undefined)(
    "the notes say that they are kept in memory where there is no SQLite",
    async () => {
      const printed = await run("notes/client");
      expect(printed).toMatch(/kept in memory, not in .*: SQLite is part of Node 22\.13/);
      expect(printed).toContain("All as expected.");
    },
  );

  it.skipIf(chromium === undefined)("the page in a browser finds all as expected", async () => {
    expect(await run("browser/main")).toMatch(/All as expected\.\n/);
  });

  it("the types of the typed client are those that the command writes", async () => {
    const { ended, output } = startProgram(["types", `${root}build/examples/typed-client/server.js`]);
    expect([await ended, output.stderr]).toEqual([0, ""]);
    expect(output.stdout.trim()).toBe(read("typed-client/generated.ts").trim());
  });
});

describe("every example", () => {
  const stories = readdirSync(`${root}examples`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

  it.each(stories)("%s has a README that says how to run it, and is in the list of all", (story) => {
    expect(existsSync(`${root}examples/${story}/README.md`)).toBe(true);
    expect(read(`${story}/README.md`)).toMatch(/```sh\n(?:npm|node|npx) /);
    expect(read("README.md")).toContain(`](${story})`);
  });
});

function read(path: string): string {
  return readFileSync(`${root}examples/${path}`, "utf8");
}
