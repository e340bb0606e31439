// Tools and a prompt that ask by hand, round by round, where the revision has no requests from the server:
// each call either finds its answers in `ctx.inputResponses` or returns the questions.
import { type Context, inputRequired, prompt, tool } from "allspeak";
import { z } from "zod";
import { seal, unseal } from "./sealed-state.ts";

const form = (message: string, field: string, type: "string" | "boolean") => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { [field]: { type } }, required: [field] },
  },
});

const question = (text: string) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 },
});

const rootsList = { method: "roots/list", params: {} };

// An answer that can't be read counts as none, so the question is put again.
const accepted = <T extends z.ZodRawShape>(content: T) =>
  z.object({ action: z.literal("accept"), content: z.object(content) });
const refused = z.object({ action: z.enum(["decline", "cancel"]) });
const nameAnswer = accepted({ name: z.string() });
const modelAnswer = z.object({ content: z.object({ text: z.string() }) });
const rootsAnswer = z.object({ roots: z.array(z.object({ uri: z.string() })) });

function read<T>(ctx: Context, key: string, schema: z.ZodType<T>): T | undefined {
  return schema.safeParse(ctx.inputResponses[key]).data;
}

const askName = form("What is your name?", "name", "string");

function greet(ctx: Context) {
  const answer = read(ctx, "user_name", z.union([nameAnswer, refused]));
  if (answer === undefined) return inputRequired({ user_name: askName });
  return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello, whoever you are!";
}

const elicitation = tool(
  "test_input_required_result_elicitation",
  { description: "Asks the user for a name" },
  (_, ctx) => greet(ctx),
);

const streamingElicitation = tool(
  "test_streaming_elicitation",
  { description: "Asks the user for a name without a request of its own on the response stream" },
  (_, ctx) => greet(ctx),
);

const sampling = tool(
  "test_input_required_result_sampling",
  { description: "Asks the client's model for a capital" },
  (_, ctx) => {
    const answer = read(ctx, "capital_question", modelAnswer);
    if (answer) return `The model said: ${answer.content.text}`;
    return inputRequired({ capital_question: question("What is the capital of France?") });
  },
);

const listRoots = tool(
  "test_input_required_result_list_roots",
  { description: "Asks the client for its roots" },
  (_, ctx) => {
    const answer = read(ctx, "client_roots", rootsAnswer);
    if (answer) return `Roots: ${answer.roots.map(({ uri }) => uri).join(", ")}`;
    return inputRequired({ client_roots: rootsList });
  },
);

/** A tool that puts one question and wants its state back unchanged. */
function confirming(name: string, description: string) {
  return tool(name, { description }, (_, ctx) => {
    if (ctx.requestState !== undefined) unseal(name, ctx.requestState);
    const answer = read(ctx, "confirm", z.union([accepted({ ok: z.boolean() }), refused]));
    if (answer && ctx.requestState !== undefined) return `state-ok: ${JSON.stringify(answer)}`;
    const confirm = form("Shall this go on?", "ok", "boolean");
    return inputRequired({ confirm }, seal(name, { asked: "confirm" }));
  });
}

const multipleInputs = tool(
  "test_input_required_result_multiple_inputs",
  { description: "Asks the user, the model and the client at once" },
  (_, ctx) => {
    const owner = "multiple_inputs";
    if (ctx.requestState !== undefined) unseal(owner, ctx.requestState);
    const user = read(ctx, "user_name", nameAnswer);
    const greeting = read(ctx, "greeting", modelAnswer);
    const client = read(ctx, "client_roots", rootsAnswer);
    if (user && greeting && client) {
      return `${greeting.content.text} (for ${user.content.name}, with ${client.roots.length} roots)`;
    }
    const requests = { user_name: askName, greeting: question("Write a greeting."), client_roots: rootsList };
    return inputRequired(requests, seal(owner, { asked: Object.keys(requests) }));
  },
);

const multiRound = tool(
  "test_input_required_result_multi_round",
  { description: "Asks the user twice, the second question after the first answer" },
  (_, ctx) => {
    const owner = "multi_round";
    const state = ctx.requestState === undefined ? undefined : unseal(owner, ctx.requestState);
    const { name } = z.object({ name: z.string() }).safeParse(state).data ?? {};
    const first = name ?? (state && read(ctx, "step1", nameAnswer)?.content.name);
    if (first === undefined) {
      return inputRequired({ step1: askName }, seal(owner, { round: 1 }));
    }
    const second = name && read(ctx, "step2", accepted({ color: z.string() }))?.content.color;
    if (second) return `${first} likes ${second}.`;
    const step2 = form("What is your favourite colour?", "color", "string");
    return inputRequired({ step2 }, seal(owner, { round: 2, name: first }));
  },
);

const capabilities = tool(
  "test_input_required_result_capabilities",
  { description: "Asks only what the client says it can be asked" },
  (_, ctx) => {
    const { elicitation, sampling, roots } = ctx.client.capabilities;
    if (Object.keys(ctx.inputResponses).length > 0) return "Thank you.";
    const requests = {
      ...(elicitation && { user_name: askName }),
      ...(sampling && { greeting: question("Write a greeting.") }),
      ...(roots && { client_roots: rootsList }),
    };
    return Object.keys(requests).length > 0
      ? inputRequired(requests)
      : "There is nothing to ask this client.";
  },
);

export const roundsPrompt = prompt(
  "test_input_required_result_prompt",
  { description: "A prompt that asks the user for its context first" },
  (_, ctx) => {
    const answer = read(ctx, "user_context", accepted({ context: z.string() }));
    if (answer) return `Answer with this in mind: ${answer.content.context}`;
    return inputRequired({ user_context: form("What is this about?", "context", "string") });
  },
);

export const roundTools = [
  streamingElicitation,
  elicitation,
  sampling,
  listRoots,
  confirming("test_input_required_result_request_state", "Gives the client state to carry to the next round"),
  multipleInputs,
  multiRound,
  confirming("test_input_required_result_tampered_state", "Refuses state that was changed on the way"),
  capabilities,
] as const;
