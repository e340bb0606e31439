import type { DetailedTask, ElicitRequest, ElicitResult, Task } from "allspeak";
import type { Client } from "allspeak/client";
import { answerOption, readAnswers } from "../../arguments/answer-option.ts";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { outOption } from "../../show/content.ts";
import { escapeLine } from "../../show/escape.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import { followCall } from "../../terminal/follow-call.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { UnansweredQuestions } from "../../terminal/unanswered.ts";
import { finishCall } from "./finish-call.ts";

const actions = ["list", "get", "result", "wait", "cancel"] as const;
type Action = (typeof actions)[number];

const options = {
  out: outOption,
  answer: answerOption,
  json: jsonOption,
} as const;

export const tasks: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [
    { name: "action", description: `${actions.join(", ")}. Default: list`, isOptional: true },
    { name: "task", description: "the id of the task, for all but list", isOptional: true },
  ],
  options,
  examples: [
    ["allspeak tasks https://example.com/mcp", "the tasks of this client, where the revision lists them"],
    ["allspeak tasks https://example.com/mcp get 0190f3", "how a task is doing"],
    ["allspeak tasks https://example.com/mcp result 0190f3", "waits for a task and shows its result"],
    ["allspeak tasks https://example.com/mcp result 0190f3 --answer confirm=true", "answers its question"],
    [
      "allspeak tasks https://example.com/mcp cancel 0190f3",
      "asks the server to end it, and shows its status then",
    ],
  ],
  notes:
    "allspeak call … --detach starts a task and prints its id. result and wait do the same.\nFew servers list tasks, and only to callers that they can identify: log in, or keep the ids.",
  async run({ arguments: [action = "list", taskId], options, terminal, withClient }) {
    const known = assertAction(action, taskId);
    if (options.answer && known !== "result" && known !== "wait")
      throw new CommandError("--answer is for tasks result and wait.", ExitCode.usage);
    const canBeAsked = terminal.canAsk || options["no-input"] === true;
    const answers =
      (await readAnswers(options.answer)) ?? (canBeAsked ? undefined : new UnansweredQuestions());
    const questions = answers && new TaskQuestions(answers, terminal);
    return withClient(
      async (client) => {
        const { signal } = terminal;
        const id = taskId ?? "";
        switch (known) {
          case "list":
            return showList(await listTasks(client, signal), terminal, options.json);
          // The answer to a cancel means only that it was received: the task may have ended before, or go on for a while.
          case "cancel":
            await client.tasks.cancel(id, { signal });
            return showState(await client.tasks.get(id, { signal }), terminal, options.json);
          case "get":
            return showState(await client.tasks.get(id, { signal }), terminal, options.json);
          case "result":
          case "wait":
            return finishCall(
              followCall(terminal, (following) =>
                client.tasks.resume(id, {
                  ...following,
                  signal: questions ? AbortSignal.any([signal, questions.leftOpen]) : signal,
                }),
              ),
              { answers: [answers], terminal, options },
            );
        }
      },
      questions && { elicit: (ask) => questions.answer(ask) },
    );
  },
});

function assertAction(action: string, taskId: string | undefined): Action {
  const known = actions.find((one) => one === action);
  if (known === undefined)
    throw new CommandError(`tasks can ${actions.join(", ")}, not ${JSON.stringify(action)}.`, ExitCode.usage);
  if (known !== "list" && taskId === undefined)
    throw new CommandError(`tasks ${known} needs the id of a task.`, ExitCode.usage);
  return known;
}

async function listTasks(client: Client, signal: AbortSignal): Promise<readonly Task[]> {
  try {
    return await client.tasks.list({ signal }).all();
  } catch (error) {
    throw explainNoList(error, client);
  }
}

function showList(found: readonly Task[], terminal: Terminal, isJson = false): ExitCode {
  if (isJson) terminal.printJson(found);
  else if (found.length === 0) terminal.note("There are no tasks, or the server does not list them.");
  else for (const task of found) terminal.print(showTask(task, terminal));
  return ExitCode.ok;
}

/** Takes the questions of a task. One without an answer stays open, for a later command. */
class TaskQuestions {
  readonly #answers: Pick<UnansweredQuestions, "answer">;
  readonly #terminal: Terminal;
  readonly #leaving = new AbortController();

  constructor(answers: Pick<UnansweredQuestions, "answer">, terminal: Terminal) {
    this.#answers = answers;
    this.#terminal = terminal;
  }

  /** Aborted when a question is left open. */
  get leftOpen(): AbortSignal {
    return this.#leaving.signal;
  }

  async answer(ask: ElicitRequest): Promise<ElicitResult> {
    try {
      return await this.#answers.answer(ask);
    } catch (problem) {
      this.#terminal.note("The question stays open, and the task waits for an answer.");
      // An error would be an answer, and end the task.
      this.#leaving.abort(problem);
      return new Promise(() => {});
    }
  }
}

const keepIds = "Keep the ids that allspeak call … --detach prints; tasks get, result and cancel take them.";

/** The error of a server that has tasks and no list of them, with the reason. */
function explainNoList(error: unknown, { server }: Client): unknown {
  const { tasks } = server.capabilities;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "not-in-revision")
    return new CommandError(`${server.revision} has no list of tasks.`, ExitCode.refused, {
      cause: error,
      hint: keepIds,
    });
  if (tasks === undefined || tasks.list !== undefined) return error;
  return new CommandError(
    "The server has tasks and does not list them. Servers list tasks only to callers that they can identify.",
    ExitCode.refused,
    { cause: error, hint: `Log in, if the server has logins. ${keepIds}` },
  );
}

function showState(task: DetailedTask, terminal: Terminal, isJson = false): ExitCode {
  if (isJson) terminal.printJson(task);
  else terminal.print(showTask(task, terminal));
  return ExitCode.ok;
}

function showTask({ taskId, status, statusMessage, createdAt }: Task, { paint }: Terminal): string {
  const said = statusMessage ? ` ${escapeLine(statusMessage)}` : "";
  return `${paint.cyan(escapeLine(taskId))} ${status} ${paint.dim(escapeLine(createdAt))}${said}`;
}
