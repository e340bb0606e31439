import type { Tool } from "allspeak";
import type { JsonObject } from "../../../lib/json.ts";
import { answerOption, readAnswers } from "../../arguments/answer-option.ts";
import { assertFitsSchema } from "../../arguments/assert-fits-schema.ts";
import { ModelAnswers, modelAnswerOption } from "../../arguments/model-answers.ts";
import { readArguments } from "../../arguments/read-arguments.ts";
import { requiredDefaults, requiredOf } from "../../arguments/schema-view.ts";
import { readStdinJson } from "../../arguments/stdin-json.ts";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { outOption } from "../../show/content.ts";
import type { ResolvedTarget } from "../../target/resolved-target.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";
import { followCall } from "../../terminal/follow-call.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { UnansweredQuestions } from "../../terminal/unanswered.ts";
import { findTool } from "./find-tool.ts";
import { finishCall } from "./finish-call.ts";
import { startTask } from "./start-task.ts";

const options = {
  out: outOption,
  answer: answerOption,
  "model-answer": modelAnswerOption,
  detach: { type: "boolean", description: "Start the call as a task, print the id of the task, and leave" },
  task: { type: "boolean", description: "Run the call as a task, where the client decides that" },
  json: jsonOption,
} as const;

export const call: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [
    { name: "tool", description: "the name of the tool" },
    {
      name: "key=value",
      description: "arguments: key=value, key:=json, or - for a JSON object on stdin",
      isRest: true,
    },
  ],
  options,
  examples: [
    ["allspeak call everything greet name=Ada", "an argument as text"],
    ["allspeak call ./server.ts add a=2 b=3", "numbers, because the schema says so"],
    [`allspeak call ./server.ts search tags=a tags=b 'filter:={"new":true}'`, "a list and JSON"],
    [`echo '{"name":"Ada"}' | allspeak call everything greet -`, "JSON on standard input"],
    ["allspeak call everything test_image_content --out pictures", "saves the image"],
    ["allspeak call https://example.com/mcp report --detach", "starts a task; see allspeak tasks --help"],
    ["allspeak call ./server.ts order dish=soup --answer confirm=true", "answers a question of the tool"],
    ["allspeak call everything test_sampling prompt=Hi --model-answer Hello", "answers in place of a model"],
  ],
  notes:
    "Values are read by the tool's schema and checked against it before the call. At a terminal you are\nasked for required arguments that are missing. A tool that fails ends with exit code 1.\nWithout a terminal, a question of the tool, or a request to a model, ends the command with 6 and shows how to answer.\nWith --no-input the tool learns that it can ask nothing.",
  async run({ arguments: [name = "", ...words], options, terminal, withClient }) {
    const showsQuestions = !terminal.canAsk && options["no-input"] !== true;
    const answers =
      (await readAnswers(options.answer)) ?? (showsQuestions ? new UnansweredQuestions() : undefined);
    const texts = options["model-answer"] ?? (showsQuestions ? [] : undefined);
    const model = texts && new ModelAnswers(texts);
    return withClient(
      async (client, resolved) => {
        if (options.detach) assertOutlivesCommand(resolved);
        const tool = await findTool(client, name);
        const args = await gatherArguments(tool, words, terminal);
        if (options.detach) return startTask(client, { tool, args }, terminal, options);
        const called = followCall(terminal, (following) =>
          client.tools.call(name, args, { ...following, ...(options.task && { task: true }) }),
        );
        return finishCall(called, { answers: [answers, model], terminal, options });
      },
      {
        ...(answers && { elicit: (ask) => answers.answer(ask) }),
        ...(model && { sample: () => model.answer() }),
      },
    );
  },
});

/** Refuses a task that would end with the server, and the server with this command. */
function assertOutlivesCommand({ kind }: ResolvedTarget): void {
  if (kind === "url") return;
  throw new CommandError(
    "--detach needs a server that goes on without this command: this one ends with it.",
    ExitCode.usage,
    { hint: "Serve it first (allspeak serve … --http :3000) and name its URL, or call it with --task." },
  );
}

/** The arguments of the command line, of standard input, and those that the user is asked for. */
async function gatherArguments(
  tool: Tool,
  words: readonly string[],
  terminal: Terminal,
): Promise<JsonObject> {
  const { inputSchema } = tool;
  const isPromised = words.includes("-");
  const given = readArguments(
    words.filter((word) => word !== "-"),
    inputSchema,
  );
  const defaults = requiredDefaults(inputSchema);
  const required = [...requiredOf(inputSchema)].filter((name) => !Object.hasOwn(defaults, String(name)));
  const lacks = (args: JsonObject) => required.some((name) => !Object.hasOwn(args, String(name)));
  let args = given;
  const mayRead = terminal.streams.stdin.isTTY !== true && words.length === 0 && lacks(args);
  if (isPromised || mayRead) args = { ...(await readStdinJson(terminal, isPromised)), ...given };
  args = { ...defaults, ...args };
  if (lacks(args) && terminal.canAsk) {
    const [{ askForm }, { Prompts }] = await Promise.all([
      import("../../terminal/schema-form.ts"),
      import("../../terminal/prompts.ts"),
    ]);
    args = await askForm(inputSchema, args, new Prompts(terminal), { onlyRequired: true });
  }
  await assertFitsSchema(tool, args);
  return args;
}
