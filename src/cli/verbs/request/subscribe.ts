import type { Change, Client, SubscriptionFilter } from "allspeak/client";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { describeUnlisted } from "./unlisted-resource.ts";

const options = {
  count: {
    type: "number",
    short: "n",
    value: "N",
    range: [1, 1_000_000_000],
    description: "End after so many changes",
  },
  json: jsonOption,
} as const;

export const subscribe: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [{ name: "uri", description: "resources to watch; without any, the lists", isRest: true }],
  options,
  examples: [
    ["allspeak subscribe https://example.com/mcp", "changes of the lists of tools, resources and prompts"],
    ["allspeak subscribe https://example.com/mcp file:///log.txt -n 1", "waits for one update of a resource"],
    ["allspeak subscribe ./server.ts --json", "a line of JSON for each change"],
  ],
  async run({ arguments: [...uris], options, terminal, withClient }) {
    return withClient(async (client) => {
      let left = options.count ?? Number.POSITIVE_INFINITY;
      let finish = () => {};
      const done = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const onChange = (change: Change): void => {
        if (left <= 0) return;
        showChange(change, terminal, options.json === true);
        left--;
        if (left <= 0) finish();
      };
      for (const uri of uris) {
        const problem = await describeUnlisted(client, uri);
        if (problem) terminal.note(terminal.notePaint.yellow(escapeLine(problem)));
      }
      const subscription = await client.subscribe(toFilter(client, uris), onChange);
      terminal.signal.addEventListener("abort", () => finish(), { once: true });
      terminal.note(terminal.notePaint.dim(`Watching ${describe(subscription.agreed)}; Ctrl-C ends it.`));
      let isLate = false;
      const onLate = () => {
        isLate = true;
        finish();
      };
      const late = options.timeout === undefined ? undefined : setTimeout(onLate, options.timeout * 1000);
      const end = await Promise.race([done, subscription.ended]);
      clearTimeout(late);
      if (end !== undefined && end.by !== "client")
        throw end.reason ?? new Error("The server ended the subscription.");
      await subscription.close();
      if (isLate) throw new CommandError(`No more changes within ${options.timeout} s.`, ExitCode.timeout);
      return ExitCode.ok;
    });
  },
});

function toFilter({ server }: Client, uris: readonly string[]): SubscriptionFilter {
  if (uris.length > 0) return { resources: uris };
  const { tools, resources, prompts } = server.capabilities;
  return {
    ...(tools?.listChanged && { tools: true }),
    ...(resources?.listChanged && { resourceList: true }),
    ...(prompts?.listChanged && { prompts: true }),
  };
}

function describe({ tools, prompts, resourceList, resources = [] }: SubscriptionFilter): string {
  const lists = [tools && "tools", resourceList && "resources", prompts && "prompts"].filter((name) => name);
  const parts = [
    ...(lists.length > 0 ? [`the lists of ${lists.join(", ")}`] : []),
    ...resources.map(escapeLine),
  ];
  return parts.join(", ") || "nothing, since the server announces no changes";
}

function showChange(change: Change, terminal: Terminal, isJson: boolean): void {
  if (isJson) return terminal.print(JSON.stringify(change));
  const { paint } = terminal;
  const what = change.kind === "resource" ? escapeLine(change.uri) : `the list of ${change.kind}`;
  terminal.print(`${paint.dim(new Date().toISOString())} ${paint.cyan(what)} changed`);
}
