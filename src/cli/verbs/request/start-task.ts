import type { ContentBlock, Tool } from "allspeak";
import type { Client } from "allspeak/client";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";
import { showToolResult } from "../../show/tool-result.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface Call {
  readonly tool: Tool;
  readonly args: JsonObject;
}

/** Starts a call as a task and shows its id. Nobody waits for the task, which goes on. */
export async function startTask(
  client: Client,
  { tool, args }: Call,
  terminal: Terminal,
  { json, out }: { readonly json?: boolean; readonly out?: string },
): Promise<ExitCode> {
  const { name, execution } = tool;
  const support = execution?.taskSupport;
  // Where the client decides, tools say whether they can be tasks; elsewhere the server decides.
  const task = (support === "required" || support === "optional") && { task: {} };
  const answer = await client.request(
    "tools/call",
    { name, arguments: args, ...task },
    { signal: terminal.signal, rounds: "manual" },
  );
  if (answer.resultType === "input_required")
    throw new CommandError("The tool asks a question before it becomes a task.", ExitCode.declined, {
      hint: "Call it without --detach.",
    });
  const started = isObject(answer.task) ? answer.task : answer;
  if (typeof started.taskId === "string") {
    if (json) terminal.printJson(started);
    else terminal.print(escapeLine(started.taskId));
    return ExitCode.ok;
  }
  terminal.note("The tool answered at once: there is no task.");
  if (json) terminal.printJson(answer);
  else {
    const result = toResult(answer);
    await showToolResult(result, { terminal, out });
    const left = Array.isArray(answer.content) ? answer.content.length - result.content.length : 0;
    if (left > 0) terminal.note(`${left} of its parts are not text; --json shows them.`);
  }
  return answer.isError === true ? ExitCode.failed : ExitCode.ok;
}

/** The result of a request that was sent as it is, so that nobody has checked its content. */
function toResult({ content, structuredContent, isError }: JsonObject) {
  const blocks = Array.isArray(content) ? content.filter(isText) : [];
  return {
    content: blocks,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
  };
}

function isText(block: unknown): block is Extract<ContentBlock, { type: "text" }> {
  return isObject(block) && block.type === "text" && typeof block.text === "string";
}
