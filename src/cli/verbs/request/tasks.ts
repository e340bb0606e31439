import type { DetailedTask, Task } from "allspeak";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { outOption } from "../../show/content.ts";
import { escapeLine } from "../../show/escape.ts";
import { showToolResult } from "../../show/tool-result.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import { followCall } from "../../terminal/follow-call.ts";
import type { Terminal } from "../../terminal/terminal.ts";

const actions = ["list", "get", "wait", "cancel"] as const;

const options = {
  out: outOption,
} as const;

export const tasks: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [
    { name: "action", description: `${actions.join(", ")}. Default: list`, isOptional: true },
    { name: "task", description: "the id of the task, for all but list", isOptional: true },
  ],
  options,
  examples: [
    ["allspeak tasks https://example.com/mcp", "the tasks of this client, where the revision lists them"],
    ["allspeak tasks https://example.com/mcp wait 0190f3", "waits for a task and shows its result"],
    ["allspeak tasks https://example.com/mcp cancel 0190f3", "asks the server to end it"],
  ],
  async run({ arguments: [action = "list", taskId], options, terminal, withClient }) {
    const known = actions.find((one) => one === action);
    if (!known)
      throw new CommandError(
        `tasks can ${actions.join(", ")}, not ${JSON.stringify(action)}.`,
        ExitCode.usage,
      );
    if (known !== "list" && taskId === undefined)
      throw new CommandError(`tasks ${known} needs the id of a task.`, ExitCode.usage);
    return withClient(async (client) => {
      const { signal } = terminal;
      const id = taskId ?? "";
      switch (known) {
        case "list": {
          const found = await client.tasks.list({ signal }).all();
          if (options.json) terminal.printJson(found);
          else for (const task of found) terminal.print(showTask(task, terminal));
          if (!options.json && found.length === 0)
            terminal.note("There are no tasks, or the server does not list them.");
          return ExitCode.ok;
        }
        case "get": {
          const task: DetailedTask = await client.tasks.get(id, { signal });
          if (options.json) terminal.printJson(task);
          else terminal.print(showTask(task, terminal));
          return ExitCode.ok;
        }
        case "wait": {
          const result = await followCall(terminal, (following) => client.tasks.resume(id, following));
          if (options.json) terminal.printJson(result);
          else await showToolResult(result, { terminal, out: options.out });
          return result.isError ? ExitCode.failed : ExitCode.ok;
        }
        case "cancel":
          await client.tasks.cancel(id, { signal });
          return ExitCode.ok;
      }
    });
  },
});

function showTask({ taskId, status, statusMessage, createdAt }: Task, { paint }: Terminal): string {
  const said = statusMessage ? ` ${escapeLine(statusMessage)}` : "";
  return `${paint.cyan(escapeLine(taskId))} ${status} ${paint.dim(escapeLine(createdAt))}${said}`;
}
