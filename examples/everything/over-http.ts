import { type ServeHttpOptions, serveHttp } from "allspeak/node";
import { server } from "./server.ts";

/** Serves until the process is told to end; calls under way may finish first. */
export async function serveOverHttp(options: ServeHttpOptions): Promise<string> {
  const serving = await serveHttp(server, options);
  console.log(
    `\nServing on ${serving.url} to clients of every revision, and on ${new URL("/sse", serving.url)} to those of HTTP+SSE.`,
  );
  console.log("Stop it with Ctrl-C.");
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void serving.close().then(() => process.exit(0)));
  }
  return serving.url;
}
