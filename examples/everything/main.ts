// The everything server:
//   npm run everything                       a tour of what it offers, then serves it over HTTP
//   npm run everything -- --auth             serves it over HTTP behind a login, for development
//   npm run --silent everything -- --stdio   serves it over standard input and output
//   npm run everything -- --http 3000        serves it over HTTP, on this machine only
import { parseArgs } from "node:util";
import { serveStdio } from "allspeak/node";
import { serveOverHttp } from "./over-http.ts";
import { server } from "./server.ts";
import { showTour } from "./tour.ts";

const usage = "usage: npm run everything [-- --stdio | --http PORT | --auth]";

interface Arguments {
  readonly stdio?: boolean;
  readonly http?: string;
  readonly auth?: boolean;
}

const options = { stdio: { type: "boolean" }, http: { type: "string" }, auth: { type: "boolean" } } as const;

function readArguments(): Arguments {
  try {
    return parseArgs({ options }).values;
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

const { stdio, http, auth } = readArguments();
const port = toPort(http ?? "0");
if (stdio) await serveStdio(server);
else if (auth) await (await import("./behind-login.ts")).serveBehindLogin(port);
else if (http !== undefined) await serveOverHttp({ port });
else {
  await showTour();
  await serveOverHttp({ port });
}
