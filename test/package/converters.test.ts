// Node writes a coverage report that names each module it has loaded.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./paths.ts";

test.each([
  ["JSON Schema", `const input = { type: "object", properties: { n: { type: "number" } } };`, []],
  ["zod 4", `import { z } from "zod"; const input = z.object({ n: z.number() });`, []],
  ["zod 3", `import { z } from "zod3"; const input = z.object({ n: z.number() });`, ["zod.js"]],
  ["valibot", `import * as v from "valibot"; const input = v.object({ n: v.number() });`, ["valibot.js"]],
])("a server of %s loads only the converter that it needs", (_, schema, converters) => {
  const loaded = loadedChunks(`
    import { createServer, tool } from "allspeak";
    import { connect } from "allspeak/client";
    ${schema}
    const echo = tool("echo", { input }, () => "hello");
    const client = await connect(createServer({ name: "lean", version: "1.0.0", tools: [echo] }));
    await client.tools.call("echo", { n: 1 });
    await client.close();
  `);
  expect(loaded.length).toBeGreaterThan(2);
  expect(loaded.filter((name) => /^(zod|valibot)\.js$/.test(name))).toEqual(converters);
});

function loadedChunks(program: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "allspeak-"));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: root, env });
    const reports = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    const urls = reports.flatMap((text) => (JSON.parse(text) as Coverage).result.map(({ url }) => url));
    return urls.flatMap((url) => /\/dist\/(?:chunks\/)?([^/]+)$/.exec(url)?.[1] ?? []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}
