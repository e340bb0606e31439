// Tools and a prompt that ask in the middle, in a straight line. Where the revision has no requests from the
// server, the questions become the result of a round, and the handler runs again with the answers.
import { type Context, prompt, tool } from "allspeak";
import { z } from "zod";

const person = z.object({ name: z.string() });
const capital = {
  messages: [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }],
  maxTokens: 100,
} as const;
const greeting = {
  messages: [{ role: "user", content: { type: "text", text: "Write a greeting." } }],
  maxTokens: 100,
} as const;

async function greet(ctx: Context) {
  const answer = await ctx.elicit("user_name", "What is your name?", person);
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
  async (_, ctx) => `The model said: ${(await ctx.sample("capital_question", capital)).text}`,
);

const listRoots = tool(
  "test_input_required_result_list_roots",
  { description: "Asks the client for its roots" },
  async (_, ctx) => `Roots: ${(await ctx.roots()).map(({ uri }) => uri).join(", ")}`,
);

const confirmation = z.object({ ok: z.boolean() });

function confirming(name: string, description: string) {
  return tool(name, { description }, async (_, ctx) => {
    const answer = await ctx.elicit("confirm", "Shall this go on?", confirmation);
    return `state-ok: ${JSON.stringify(answer)}`;
  });
}

const multipleInputs = tool(
  "test_input_required_result_multiple_inputs",
  { description: "Asks the user, the model and the client at once" },
  async (_, ctx) => {
    const [user, words, roots] = await Promise.all([
      ctx.elicit("user_name", "What is your name?", person),
      ctx.sample("greeting", greeting),
      ctx.roots(),
    ]);
    const name = user.action === "accept" ? user.content.name : "somebody";
    return `${words.text} (for ${name}, with ${roots.length} roots)`;
  },
);

const multiRound = tool(
  "test_input_required_result_multi_round",
  { description: "Asks the user twice, the second question after the first answer" },
  async (_, ctx) => {
    const first = await ctx.elicit("step1", "What is your name?", person);
    if (first.action !== "accept") return "Nobody answered.";
    const question = `What is your favourite colour, ${first.content.name}?`;
    const second = await ctx.elicit("step2", question, z.object({ color: z.string() }));
    return `${first.content.name} likes ${second.content?.color ?? "none"}.`;
  },
);

const capabilities = tool(
  "test_input_required_result_capabilities",
  { description: "Asks only what the client says it can be asked" },
  async (_, ctx) => {
    const nobody = { action: "decline" } as const;
    const silence = { role: "assistant", model: "none", content: [], text: "" } as const;
    await Promise.all([
      ctx.elicit("user_name", "What is your name?", person, { fallback: nobody }),
      ctx.sample("greeting", greeting, { fallback: silence }),
      ctx.roots({ fallback: [] }),
    ]);
    return "Thank you.";
  },
);

export const roundsPrompt = prompt(
  "test_input_required_result_prompt",
  { description: "A prompt that asks the user for its context first" },
  async (_, ctx) => {
    const answer = await ctx.elicit("user_context", "What is this about?", z.object({ context: z.string() }));
    return `Answer with this in mind: ${answer.content?.context ?? "nothing"}`;
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
