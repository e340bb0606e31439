// The notes server, the first one to look at:
//   npm start            shows what it does, then serves it, three others and a page that shows them until Ctrl-C
//   npm start -- --stdio serves it on standard input and output; a host starts it this way
import { parseArgs } from "node:util";
import { serveStdio } from "allspeak/node";
import { server } from "./server.ts";
import { showTour } from "./tour.ts";

const { stdio, port } = readArguments();
if (stdio) await serveStdio(server);
else await showAndServe();

async function showAndServe(): Promise<void> {
  await showTour();
  const { serveWithPage } = await import("./page.ts");
  const running = await serveWithPage(port);
  console.log("\nServing to clients of every revision:");
  for (const { title, url } of running.servers) console.log(`  ${url}  ${title}`);
  console.log(`\nSee and use them, and every message, at\n  ${running.pageUrl}\nStop with Ctrl-C.`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void running.close().then(() => process.exit(0)));
}

function readArguments(): { stdio: boolean; port: number } {
  try {
    const options = { stdio: { type: "boolean" }, port: { type: "string" } } as const;
    const { stdio = false, port = "0" } = parseArgs({ options }).values;
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error(`${port} is not a port.`);
    return { stdio, port: Number(port) };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error("usage: npm start [-- --stdio | --port PORT]");
    process.exit(2);
  }
}
