import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export interface Site {
  readonly origin: string;
  close(): void;
}

/** Bundles the page for browsers, and serves it. */
export async function serveSite(): Promise<Site> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("page.js", import.meta.url))],
    bundle: true,
    platform: "browser",
    format: "esm",
    outdir: "out",
    write: false,
    // The settings of this repository are for Node: they would put its modules into the page.
    tsconfigRaw: {},
  });
  const script = outputFiles[0]?.text ?? "";
  // The compiled example lies in build/; the page is not compiled, and stays with the sources.
  const html = readFileSync(new URL("../../../examples/browser/index.html", import.meta.url), "utf8");
  const http = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : html);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  const { port } = http.address() as { port: number };
  const close = () => {
    http.close();
    http.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}
