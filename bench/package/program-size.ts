import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { rolldown } from "rolldown";

/** A small program, with the parts that it loads on demand but can't do without. */
export interface Program {
  readonly name: string;
  readonly source: string;
  readonly needs?: RegExp;
  /** Whether it runs under Node; else anywhere. */
  readonly isForNode?: boolean;
}

const server = `
  import { createServer, tool } from "allspeak";
  const echo = tool("echo", { input: { type: "object" } }, () => "hello");
  const server = createServer({ name: "small", version: "1.0.0", tools: [echo] });
`;

export const programs = {
  memory: { name: "a server of one tool, in memory", source: `${server} export { server };` },
  stdio: {
    name: "a server of one tool over stdio",
    source: `${server} import { serveStdio } from "allspeak/node"; await serveStdio(server);`,
    isForNode: true,
  },
  http: {
    name: "a server of one tool over HTTP, for Node",
    source: `${server} import { serveHttp } from "allspeak/node"; await serveHttp(server);`,
    needs: /serve-http/,
    isForNode: true,
  },
  fetch: {
    name: "a server of one tool over HTTP, for workers",
    source: `${server} import { createFetchHandler } from "allspeak/http"; export default { fetch: createFetchHandler(server) };`,
  },
  client: {
    name: "a client",
    source: `import { connect } from "allspeak/client"; export const open = (target) => connect(target);`,
  },
  "HTTP client": {
    name: "a client with all that it loads for a URL",
    source: `import { connect } from "allspeak/client"; export const open = (url) => connect(url);`,
    needs: /\/(?:channel|fetch-sender|request-headers)\.[jt]s$/,
  },
} satisfies Record<string, Program>;

/** The bundlers that programs are measured with. */
export const bundlers = { esbuild: byEsbuild, rolldown: byRolldown } as const;

/**
 * The bytes of a program in one file, minified and gzipped, by the package in `root`. Left out is what `import()`
 * fetches later, unless the program needs it.
 */
export async function programBytes(
  root: string,
  program: Program,
  bundler: keyof typeof bundlers,
): Promise<number> {
  return gzipSync(await bundlers[bundler](root, program)).byteLength;
}

async function byEsbuild(root: string, program: Program): Promise<string> {
  const { outputFiles } = await build({ ...toBuildOptions(root, program), write: false });
  return outputFiles.map(({ text }) => text).join("");
}

async function byRolldown(root: string, { source, needs, isForNode }: Program): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: "program",
    platform: isForNode ? "node" : "neutral",
    plugins: [
      {
        name: "program",
        resolveId: (id) => (id === "program" ? resolve(root, "program.js") : undefined),
        load: (id) => (id === resolve(root, "program.js") ? source : undefined),
        resolveDynamicImport: (id) =>
          typeof id === "string" && needs?.test(id) ? undefined : { id: String(id), external: true },
      },
    ],
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  const { output } = await bundle.generate({ minify: true, codeSplitting: false });
  await bundle.close();
  return output.map((file) => (file.type === "chunk" ? file.code : "")).join("");
}

/** The minified bytes of a program by the folder of `src` that they come from. */
export async function roomBytes(root: string, program: Program): Promise<Map<string, number>> {
  const options = toBuildOptions(root, program);
  const { metafile } = await build({
    ...options,
    plugins: [toSources(root, program), ...(options.plugins ?? [])],
    metafile: true,
    write: false,
  });
  const rooms = new Map<string, number>();
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const room = toRoom(path);
      rooms.set(room, (rooms.get(room) ?? 0) + bytesInOutput);
    }
  return rooms;
}

/** `schema/validator` of `src/schema/validator/keywords/array.ts`; files at the root are themselves a room. */
function toRoom(path: string): string {
  const folders = path
    .replace(/^src\//, "")
    .split("/")
    .slice(0, -1);
  return folders.slice(0, folders[0] === "transports" ? 3 : 2).join("/") || "errors and program";
}

function toBuildOptions(root: string, { source, needs, isForNode = false }: Program): BuildOptions {
  return {
    stdin: { contents: source, resolveDir: root },
    // Or it would follow the paths of this repository to the sources.
    tsconfigRaw: {},
    absWorkingDir: root,
    outdir: "out",
    bundle: true,
    minify: true,
    format: "esm",
    platform: isForNode ? "node" : "neutral",
    target: "es2022",
    plugins: [leaveOutOptional(needs)],
    logLevel: "silent",
  };
}

function leaveOutOptional(needs: RegExp | undefined): Plugin {
  return {
    name: "leave-out-optional",
    setup: ({ onResolve }) => {
      onResolve({ filter: /.*/ }, ({ kind, path }) =>
        kind === "dynamic-import" && !needs?.test(path) ? { path, external: true } : undefined,
      );
      // A whole program lies in this package, whose modules are said to have no side effects.
      onResolve({ filter: /^\// }, ({ path }) => ({ path, sideEffects: true }));
    },
  };
}

/** Takes the package from its sources, whose modules have no side effects either. */
function toSources(root: string, { isForNode }: Program): Plugin {
  const platform = `src/platform/${isForNode ? "node" : "web"}.ts`;
  const sourceOf = (path: string) =>
    path === "#platform" ? platform : `src/${path.slice("allspeak/".length) || "index"}.ts`;
  return {
    name: "to-sources",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^(allspeak|#platform)(\/|$)/ }, ({ path }) => ({
        path: resolve(root, sourceOf(path)),
        sideEffects: false,
      }));
      onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) =>
        kind === "import-statement" ? { path: resolve(resolveDir, path), sideEffects: false } : undefined,
      );
    },
  };
}
