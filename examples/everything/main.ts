// The everything server:
//   npm start                        a tour: what it offers, and how a host talks to it
//   npm run everything -- --stdio    serves it over standard input and output
import { parseArgs } from "node:util";
import { serveStdio } from "allspeak/node";
import { server } from "./server.ts";
import { showTour } from "./tour.ts";

const usage = "usage: npm run everything [-- --stdio]";

function readArguments(): { readonly stdio?: boolean } {
  try {
    return parseArgs({ options: { stdio: { type: "boolean" } } }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(usage);
    process.exit(2);
  }
}

if (readArguments().stdio) await serveStdio(server);
else await showTour();
