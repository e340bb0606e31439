// The everything server:
//   npm start                           a tour of what it offers, then serves it over HTTP
//   npm run everything -- --stdio       serves it over standard input and output
//   npm run everything -- --http 3000   serves it over HTTP, on this machine only
import { parseArgs } from "node:util";
import { serveStdio } from "allspeak/node";
import { serveOverHttp } from "./over-http.ts";
import { server } from "./server.ts";
import { showTour } from "./tour.ts";

const usage = "usage: npm run everything [-- --stdio | --http PORT]";

interface Arguments {
  readonly stdio?: boolean;
  readonly http?: string;
}

function readArguments(): Arguments {
  try {
    return parseArgs({ options: { stdio: { type: "boolean" }, http: { type: "string" } } }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(usage);
    process.exit(2);
  }
}

function toPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  console.error(`${text} is not a port\n${usage}`);
  process.exit(2);
}

const { stdio, http } = readArguments();
if (stdio) await serveStdio(server);
else if (http !== undefined) await serveOverHttp(toPort(http));
else {
  await showTour();
  await serveOverHttp(0);
}
