import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A POST whose body has an id of its own each time. */
export interface Shot {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  body(id: number): string;
}

export interface Volley {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function hasWrk(): boolean {
  return spawnSync("wrk", ["-v"]).error === undefined;
}

/** Sends requests for so many seconds, each connection one after the other. */
export async function shoot(shot: Shot, connections: number, seconds: number, threads = 1): Promise<Volley> {
  const folder = mkdtempSync(join(tmpdir(), "allspeak-bench-"));
  const script = join(folder, "call.lua");
  try {
    writeFileSync(script, toScript(shot));
    const args = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "-s", script, shot.url.href];
    const { stdout } = await run("wrk", args);
    const { failed, ...volley } = JSON.parse(stdout.slice(stdout.lastIndexOf("\n{"))) as Volley & Failed;
    if (failed > 0) throw new Error(`${failed} of ${volley.requests} requests to ${shot.url} failed.`);
    return volley;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Failed {
  readonly failed: number;
}

/** All ids have as many digits, so that the length is always the same. */
const firstId = 10_000_000;

/** The text around the id is made once, so that wrk is never what is measured. */
function toScript({ url, headers, body }: Shot): string {
  const example = body(firstId);
  const [beforeId = "", afterId = ""] = example.split(String(firstId));
  const head = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(example)}`,
    "",
    beforeId,
  ].join("\r\n");
  return `
    local before, after, threads = ${toLua(head)}, ${toLua(afterId)}, 0
    function setup(thread)
      threads = threads + 1
      thread:set("id", threads * ${firstId})
    end
    function request()
      id = id + 1
      return before .. id .. after
    end
    function done(summary, latency)
      local errors = summary.errors
      io.write(string.format(
        '\\n{"requests":%d,"perSecond":%f,"p50Ms":%f,"p99Ms":%f,"failed":%d}\\n',
        summary.requests, summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000,
        errors.status + errors.connect + errors.read + errors.write + errors.timeout
      ))
    end`;
}

function toLua(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\r", "\\r").replaceAll("\n", "\\n")}"`;
}
