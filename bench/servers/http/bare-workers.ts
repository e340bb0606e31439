// The floor with two processes: the same as bare, behind node:cluster.
import cluster from "node:cluster";
import { announceUrl } from "../shared/announce.ts";

const workers = 2;
if (cluster.isPrimary) {
  let listening = 0;
  cluster.on("listening", (_, { port }) => {
    if (++listening === workers) announceUrl(`http://127.0.0.1:${port}/mcp`);
  });
  for (let started = 0; started < workers; started++) cluster.fork();
} else await import("./bare.ts");
