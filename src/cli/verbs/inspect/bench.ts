import type { Client } from "allspeak/client";
import { applyLoad, type Load, type OneCall, toHistogram } from "../../../doctor/load-test.ts";
import { readArguments } from "../../arguments/read-arguments.ts";
import { ExitCode } from "../../exit-code.ts";
import { shorten } from "../../show/escape.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { findTool } from "../request/find-tool.ts";

const options = {
  count: {
    type: "number",
    short: "n",
    value: "N",
    range: [1, 10_000_000],
    description: "Calls in all. Default: 1000",
  },
  concurrency: {
    type: "number",
    short: "c",
    value: "N",
    range: [1, 10_000],
    description: "Calls at once. Default: 10",
  },
  json: jsonOption,
} as const;

export const bench: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [
    { name: "tool", description: "the tool to call; without one, pings are sent", isOptional: true },
    { name: "key=value", description: "its arguments", isRest: true },
  ],
  options,
  examples: [
    ["allspeak bench https://example.com/mcp", "how fast pings are answered"],
    ["allspeak bench ./server.ts add a=1 b=2 -n 5000 -c 50", "a tool, under load"],
  ],
  notes:
    "One connection, so that it measures the server more than this machine. Failed calls are counted apart.",
  async run({ arguments: [tool, ...words], options, terminal, withClient }) {
    const { count = 1_000, concurrency = 10 } = options;
    return withClient(async (client) => {
      const call = await toCall(client, tool, words, terminal.signal);
      const load = await applyLoad(call, { count, concurrency, signal: terminal.signal });
      if (options.json) terminal.printJson({ ...load, latencies: undefined });
      else terminal.print(showLoad(load, terminal));
      return load.failed > 0 ? ExitCode.failed : ExitCode.ok;
    });
  },
});

async function toCall(
  client: Client,
  name: string | undefined,
  words: readonly string[],
  signal: AbortSignal,
): Promise<OneCall> {
  if (name === undefined) return () => client.ping({ signal }).then(() => undefined);
  const { inputSchema } = await findTool(client, name);
  const args = readArguments(words, inputSchema);
  return async () => {
    const { isError, content } = await client.tools.call(name, args, { signal });
    if (!isError) return undefined;
    const said = content.find((block) => block.type === "text");
    return said?.text || "The tool answered with an error.";
  };
}

const barWidth = 40;

function showLoad(
  { calls, failed, seconds, perSecond, percentiles, latencies, problems }: Load,
  { paint }: Terminal,
): string {
  const { p50, p90, p99, max } = percentiles;
  return [
    `${calls} ${calls === 1 ? "call" : "calls"} in ${seconds} s: ${paint.bold(`${perSecond} per second`)}${failed > 0 ? paint.red(`, ${failed} failed`) : ""}`,
    ...problems.map(({ problem, calls }) => paint.red(`${calls} failed: ${shorten(problem, 200)}`)),
    `p50 ${p50} ms, p90 ${p90} ms, p99 ${p99} ms, max ${max} ms`,
    "",
    ...toHistogram(latencies).map(({ upToMs, calls: inBucket }) => {
      const share = inBucket / calls;
      return `  ≤ ${String(upToMs).padStart(9)} ms ${paint.cyan("█".repeat(Math.round(share * barWidth)))} ${Math.round(share * 100)} %`;
    }),
  ].join("\n");
}
