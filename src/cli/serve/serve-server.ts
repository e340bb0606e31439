import type { Servable } from "allspeak/client";
import type { ServeHttpOptions } from "allspeak/node";
import { ExitCode } from "../exit-code.ts";
import { escapeLine } from "../show/escape.ts";
import type { Library } from "../target/project-library.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readListenAddress } from "./listen-address.ts";
import type { ServeOptions } from "./serve-options.ts";

export interface Serving {
  readonly server: Servable;
  /** The functions that serve it. Default: those of this package. */
  readonly library?: Pick<Library, "serveHttp" | "serveStdio">;
  readonly options: ServeOptions;
  readonly terminal: Terminal;
  /** Options of `serveHttp` beside those of the command line. */
  readonly http?: ServeHttpOptions;
}

/** Serves until Ctrl-C, or until the client on standard input is gone. */
export async function serveServer(serving: Serving): Promise<ExitCode> {
  const { server, options, terminal } = serving;
  const { serveHttp, serveStdio } = serving.library ?? (await import("allspeak/node"));
  if (options.http === undefined) {
    const { stdin, stdout } = terminal.streams;
    const running = await serveStdio(server, { input: stdin, output: stdout });
    await running.closed;
    return ExitCode.ok;
  }
  const { signal } = terminal;
  signal.throwIfAborted();
  const running = await serveHttp(server, { ...toHttpOptions(options, options.http), ...serving.http });
  const name = server["~service"]().name;
  if (options.json) terminal.printJson({ name, url: running.url, port: running.port });
  else
    terminal.print(
      `Serving ${terminal.paint.bold(escapeLine(name))} on ${terminal.paint.cyan(running.url)}; Ctrl-C ends it.`,
    );
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await running.close();
  return ExitCode.ok;
}

function toHttpOptions(options: ServeOptions, address: string): ServeHttpOptions {
  const { host, port } = readListenAddress(address);
  return {
    port,
    ...(host !== undefined && { host }),
    ...(options.path !== undefined && { path: options.path }),
    ...(options["public-url"] !== undefined && { publicUrl: options["public-url"] }),
    ...(options["allow-host"] && { allowedHosts: options["allow-host"] }),
    ...(options["allow-origin"] && { allowedOrigins: options["allow-origin"] }),
  };
}
