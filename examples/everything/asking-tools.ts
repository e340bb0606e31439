import { type Elicited, tool } from "allspeak";
import { z } from "zod";

const sampling = tool(
  "test_sampling",
  { description: "Asks the client's model", input: { prompt: z.string().describe("What to ask the model") } },
  async ({ prompt }, ctx) => {
    const answer = await ctx.sample("answer", {
      messages: [{ role: "user", content: { type: "text", text: prompt } }],
      maxTokens: 100,
    });
    return `LLM response: ${answer.text}`;
  },
);

const contact = z.object({
  username: z.string().describe("User's response"),
  email: z.string().describe("User's email address"),
});

const elicitation = tool(
  "test_elicitation",
  {
    description: "Asks the user for a name and an address",
    input: { message: z.string().describe("What the user reads") },
  },
  async ({ message }, ctx) => describeAnswer("User response", await ctx.elicit("contact", message, contact)),
);

const profile = {
  type: "object",
  properties: {
    name: { type: "string", description: "User name", default: "John Doe" },
    age: { type: "integer", description: "User age", default: 30 },
    score: { type: "number", description: "User score", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", description: "Whether the user is verified", default: true },
  },
  required: [],
};

const elicitationDefaults = tool(
  "test_elicitation_sep1034_defaults",
  { description: "Asks the user with a form that is filled in already" },
  async (_, ctx) =>
    describeAnswer(
      "Elicitation completed",
      await ctx.elicit("profile", "Please check your profile", profile),
    ),
);

const titled = (value: string, title: string) => ({ const: value, title });
const titles = [
  titled("value1", "First Option"),
  titled("value2", "Second Option"),
  titled("value3", "Third Option"),
];
const options = ["option1", "option2", "option3"];

const choices = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: options },
    titledSingle: { type: "string", oneOf: titles },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: options } },
    titledMulti: { type: "array", items: { anyOf: titles } },
  },
  required: [],
};

const elicitationChoices = tool(
  "test_elicitation_sep1330_enums",
  { description: "Asks the user to choose, in every way a form can offer choices" },
  async (_, ctx) =>
    describeAnswer("Elicitation completed", await ctx.elicit("choices", "Please choose", choices)),
);

const missingCapability = tool(
  "test_missing_capability",
  { description: "Is refused to clients that can't be asked for a model's answer", needs: ["sampling"] },
  () => "This client can be asked for a model's answer.",
);

function describeAnswer(what: string, { action, content }: Elicited<unknown>): string {
  return `${what}: action=${action}, content=${JSON.stringify(content ?? {})}`;
}

/** Asks in the middle of a call and goes on with the answer. */
export const askingTools = [
  sampling,
  elicitation,
  elicitationDefaults,
  elicitationChoices,
  missingCapability,
] as const;
