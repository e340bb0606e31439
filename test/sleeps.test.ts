// A test that sleeps is slow where the machine is fast, and fails where it is slow.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Waits of a length, and looks again after one. `setTimeout(resolve)` is a turn of the event loop, and fine. */
const sleeps = [
  /\bsetTimeout(?: as \w+)?\b[^;]*\} from "node:timers\/promises"/,
  /\bsetTimeout\((?!resolve\))/,
  // With nothing to do, an interval only keeps a program alive.
  /\bsetInterval\((?!\(\) => \{\},)/,
  /\bvi\.wait(?:For|Until)\(/,
  /\bexpect\s*\.poll\(/,
];

/** Where there is no event to wait for, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "auth/client/login/browser.abuse.test.ts": "a browser is started as a process that is not our child",
  "auth/client/shared-store.process.test.ts": "another process is killed in the middle of its work",
  "bridge/main-connection.test.ts": "the life of a connection, on a clock that the test moves",
  "cluster/sessions/expiry.test.ts": "nobody is notified that a session has expired, and a look renews it",
  "http/backpressure/slow-reader.load.test.ts": "the reader is slow: that is the test",
  "http/backpressure/steady-reader.test.ts": "the reader is slow: that is the test",
  "http/server/input/slow-client.test.ts": "the client sends a byte now and then: that is the test",
  "interop/fixtures/official-v1-tasks-server.mjs": "the work of a server that is not ours",
  "interop/fixtures/polling.mjs": "the work of a server that is not ours",
  "interop/http/polling.test.ts": "a client that is not ours comes back, or does not, when it likes",
  "lib/file-lock-from-the-future.test.ts":
    "the lock looks again by itself, and its clock is turned meanwhile",
  "lib/file-lock.test.ts": "holders of a lock overlap, unless it keeps them apart",
  "lib/async/timers.test.ts": "a timer that must not fire at once",
  "lib/async/yield-turn.test.ts": "a timer that gets its turn",
  "limits/fixtures/overloaded.mjs": "work, of which there is too much",
  "limits/overload.load.test.ts": "calls are offered at a rate",
  "multi-round-trip/fixtures/unhandled-rejection.mjs":
    "a process that lives on, or does not, after a rejection",
  "runtimes/fixtures/worker.mjs": "the work of a call in another runtime",
  "setup/leftovers.ts": "a process that was told to end",
  "socket/serve-socket.test.ts": "the client writes now and then, and reads nothing",
  "state/redis/outage.test.ts": "a server comes back, and a state finds it again, when they like",
  "state/wrong-port.process.test.ts": "a client begins to connect when it likes",
  "stdio/fixtures/liveness.ts": "the end of a process that is not our child",
  "stdio/program/slow-program.test.ts": "the program is slow to start: that is the test",
  "stdio/stdio.load.test.ts": "the end of a process that is not our child",
  "stdio/program/stray-flood.test.ts": "counts the turns that a real timer gets",
  "support/chaos/chaos-server.ts": "the work of a call, during which its node is killed",
  "support/chaos/pause.ts": "the times of faults, and the rate of a load",
  "support/chaos/stores/tcp-proxy.ts": "a slow network",
  "support/handler-script.ts": "how long a step of a handler takes is what the property varies",
  "support/http/fetch-adapter.ts": "a reader that may never take what was written",
  "tasks/workers.process.test.ts": "another process goes on after it was stopped",
  "testing/restaurant.ts": "the work of a call, on a clock that the test moves",
  "trust/file-store.process.test.ts": "a process is killed in the middle of its work",
  "websocket/fixtures/server.mjs": "memory is freed in the background",
  "websocket/serve-websocket.test.ts": "the client writes now and then, and reads nothing",
  "websocket/websocket.load.test.ts": "the client writes now and then, and reads nothing",
};

it("no test sleeps, but for those that say why", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter(
      (path) => /\.(?:ts|mjs)$/.test(path) && path !== "sleeps.test.ts" && !path.includes("node_modules"),
    );
  const sleeping = files.filter((path) => {
    const text = readFileSync(`${folder}${path}`, "utf8");
    return sleeps.some((sleep) => sleep.test(text));
  });
  expect(sleeping.sort()).toEqual(Object.keys(exceptions).sort());
});
