import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import * as hostErrors from "../../src/errors/host-errors.ts";
import * as errors from "../../src/errors.ts";

it("docs/errors.md lists exactly the error classes that exist, with their codes", async () => {
  const page = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const documented = [...page.matchAll(/^\| `([a-z-]+)` *\| `(\w+)` *\|/gm)].map(
    ([, code, name]) => `${name} ${code}`,
  );
  const files = ["errors.ts", "errors/host-errors.ts", "errors/overloaded-error.ts"];
  const read = (file: string) => readFile(new URL(`../../src/${file}`, import.meta.url), "utf8");
  const source = (await Promise.all(files.map(read))).join("\n");
  const declared = [...source.matchAll(/class (\w+) extends McpError \{\s+readonly code = "([a-z-]+)"/g)].map(
    ([, name, code]) => `${name} ${code}`,
  );
  const exported = Object.entries({ ...errors, ...hostErrors })
    .filter(([name, value]) => typeof value === "function" && name.endsWith("Error") && name !== "McpError")
    .map(([name]) => name);
  expect(documented.sort()).toEqual(declared.sort());
  expect(documented.map((row) => row.split(" ")[0]).sort()).toEqual(exported.sort());
});
