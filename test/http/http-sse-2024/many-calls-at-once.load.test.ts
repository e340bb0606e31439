import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { createServer, tool } from "../../../src/index.ts";
import { serveHttp } from "../../../src/node.ts";
import { openHttp } from "../../support/http/open-http.ts";
import { aloneScript, done, ScriptedHttp, type Visit } from "../../support/http/scripted-http.ts";

function collectWarnings(): Error[] {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  return warnings;
}

async function openTwoEndpoints() {
  const server = createServer({ name: "echo", version: "1", tools: [tool("echo", {}, () => "echo")] });
  const running = await serveHttp(server);
  onTestFinished(() => running.close(0));
  return openHttp(String(new URL("/sse", running.url)));
}

test("many calls at once over HTTP+SSE are no reason for a warning", async () => {
  const warnings = collectWarnings();
  const { client } = await openTwoEndpoints();
  await Promise.all(Array.from({ length: 40 }, () => client.tools.call("echo")));
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

test("many calls that lose their connection at once are no reason for a warning", async () => {
  const warnings = collectWarnings();
  const lost: Visit[] = [];
  const server = await ScriptedHttp.start(
    aloneScript({
      "tools/call": (visit) => {
        if (lost.length === 40) return visit.result(done);
        lost.push(visit);
        if (lost.length === 40) for (const each of lost) each.cut();
      },
    }),
  );
  const { client } = await openHttp(server);
  await Promise.all(Array.from({ length: 40 }, () => client.tools.call("echo", {}, { retry: true })));
  expect(warnings).toEqual([]);
});

test("calls over HTTP+SSE leave nothing behind with the stream", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { client } = await openTwoEndpoints();
  const heapAfter = async (calls: number) => {
    for (let done = 0; done < calls; done += 20)
      await Promise.all(Array.from({ length: 20 }, () => client.tools.call("echo")));
    await new Promise(setImmediate);
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(2_000);
  const growth = (await heapAfter(3_000)) - before;
  expect(growth).toBeLessThan(2_000_000);
});
