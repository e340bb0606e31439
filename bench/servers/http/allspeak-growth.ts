import { createServer } from "allspeak";
import { serveHttp } from "allspeak/node";
import { openSharedState } from "../shared/shared-state.ts";

const server = createServer({ name: "growth", version: "1.0.0" });
server.resource("note:///one", { name: "one" }, () => "text");
const state = openSharedState();
const { url } = await serveHttp(server, { sessions: { max: 20_000 }, ...(state && { state }) });

/** The longest time between two turns of the event loop. */
class TurnWatch {
  #last = performance.now();
  #isWatching = true;
  longestMs = 0;

  constructor() {
    this.#watch();
  }

  stop(): void {
    this.#isWatching = false;
  }

  #watch(): void {
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.#last);
    this.#last = now;
    if (this.#isWatching) setImmediate(() => this.#watch());
  }
}

let cpuBefore = process.cpuUsage();
let watch: TurnWatch | undefined;

process.on("message", (word) => {
  if (word === "update") {
    cpuBefore = process.cpuUsage();
    watch = new TurnWatch();
    void server.resources.updated("note:///one");
  } else if (watch) {
    watch.stop();
    const { user, system } = process.cpuUsage(cpuBefore);
    process.send?.({ cpuMs: (user + system) / 1_000, blockedMs: watch.longestMs });
  }
});
process.send?.(url);
