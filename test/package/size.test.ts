import { gzipSync } from "node:zlib";
import { build, type Metafile, stop } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "./paths.ts";

/** What a small program costs a reader: everything it loads at once, minified and gzipped. */
const budgets = [
  {
    what: "a server of one tool, in memory",
    maxBytes: 38_500,
    external: [],
    program: `
      import { createServer, tool } from "allspeak";
      const echo = tool("echo", { input: { type: "object" } }, () => "hello");
      export const server = createServer({ name: "small", version: "1.0.0", tools: [echo] });
    `,
  },
  {
    what: "a server of one tool over stdio",
    maxBytes: 51_000,
    external: ["node:*"],
    program: `
      import { createServer, tool } from "allspeak";
      import { serveStdio } from "allspeak/node";
      const echo = tool("echo", { input: { type: "object" } }, () => "hello");
      await serveStdio(createServer({ name: "small", version: "1.0.0", tools: [echo] }));
    `,
  },
  {
    what: "a server of one tool over HTTP, for workers",
    maxBytes: 60_700,
    external: [],
    program: `
      import { createServer, tool } from "allspeak";
      import { createFetchHandler } from "allspeak/http";
      const echo = tool("echo", { input: { type: "object" } }, () => "hello");
      export default { fetch: createFetchHandler(createServer({ name: "small", version: "1.0.0", tools: [echo] })) };
    `,
  },
  {
    what: "a client, without the regular expression engine for schemas of strangers",
    maxBytes: 33_600,
    external: ["node:*", "re2js"],
    program: `
      import { connect } from "allspeak/client";
      export const open = (target) => connect(target);
    `,
  },
];

afterAll(() => stop());

describe("bundle size", () => {
  test.each(budgets)("$what fits in $maxBytes bytes", async ({ program, maxBytes, external }) => {
    expect(await loadedBytes(program, external)).toBeLessThanOrEqual(maxBytes);
  });
});

async function loadedBytes(program: string, external: string[]): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: root },
    tsconfigRaw: {},
    outdir: "out",
    absWorkingDir: root,
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external,
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const loaded = loadedAtOnce(metafile);
  const files = outputFiles.filter(({ path }) => loaded.some((name) => path.endsWith(name)));
  return gzipSync(Buffer.concat(files.map(({ contents }) => contents))).byteLength;
}

/** The program's own file and the chunks it imports statically; what `import()` fetches later is not counted. */
function loadedAtOnce({ outputs }: Metafile): string[] {
  const loaded = new Set<string>();
  const visit = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const imports = outputs[name]?.imports ?? [];
    for (const { path, kind, external } of imports) {
      if (kind === "import-statement" && !external) visit(path);
    }
  };
  for (const [name, { entryPoint }] of Object.entries(outputs)) if (entryPoint === "<stdin>") visit(name);
  return [...loaded];
}
