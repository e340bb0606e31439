import type { Tool } from "allspeak";
import { fitSchema, type ModelProvider } from "allspeak/host";
import { compilePeerValidator } from "../schema/validator/peer-validator.ts";
import type { Finding } from "./finding.ts";
import { findSchemaTypos } from "./schema-typos.ts";

const providers: readonly ModelProvider[] = ["anthropic", "openai", "gemini"];
/** The longest description of a tool that each provider takes. */
const longestDescription: Readonly<Partial<Record<ModelProvider, number>>> = { openai: 1_024 };
const providerName = /^[a-zA-Z0-9_-]{1,64}$/;
/** Characters that nobody sees and a model reads. */
const invisible = /[\p{Cc}\p{Bidi_Control}\u200b-\u200d\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/u;
const instructions =
  /\b(?:ignore|disregard) (?:all |any )?(?:previous|prior|other) instructions\b|<important>|do not (?:tell|mention|inform)/i;

/** One tool as a model provider sees it. */
export interface ProviderVerdict {
  readonly tool: string;
  readonly provider: ModelProvider;
  readonly problems: readonly string[];
}

export async function checkTools(tools: readonly Tool[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const tool of tools) findings.push(...(await checkTool(tool)));
  const names = tools.map(({ name }) => name);
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    findings.push(broken(name, "the name is listed twice", "give each tool a name of its own"));
  }
  return findings;
}

async function checkTool(tool: Tool): Promise<Finding[]> {
  return [
    ...checkTexts(tool),
    ...(await checkSchemas(tool)),
    ...checkHints(tool),
    ...checkDescriptions(tool),
  ];
}

/** Looks for texts that are meant for the model and hidden from people. */
function checkTexts({ name, description = "", inputSchema }: Tool): Finding[] {
  const texts = [name, description, JSON.stringify(inputSchema)].join("\n").replace(/[\n\r\t]/g, " ");
  const hidden = "its texts have invisible characters, which a model reads and a person does not";
  const poisoned = "its texts give instructions to the model (tool poisoning)";
  return [
    ...(invisible.test(texts) ? [unsafe(name, hidden, "remove them")] : []),
    ...(instructions.test(texts)
      ? [unsafe(name, poisoned, "describe what the tool does, nothing else")]
      : []),
  ];
}

async function checkSchemas({ name, inputSchema, outputSchema }: Tool): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [what, schema] of Object.entries({ input: inputSchema, output: outputSchema })) {
    if (schema === undefined) continue;
    const problem = await compilePeerValidator(schema).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (problem !== undefined)
      findings.push(broken(name, `its ${what} schema can't be used: ${problem}`, "correct the schema"));
    else
      for (const typo of findSchemaTypos(schema)) {
        const report = typo.isCertain ? broken : advice;
        findings.push(report(name, `in its ${what} schema, ${typo.problem}`, "correct the schema"));
      }
  }
  return findings;
}

function checkHints({ name, annotations }: Tool): Finding[] {
  if (annotations?.readOnlyHint !== true || annotations.destructiveHint !== true) return [];
  return [
    broken(name, "its hints are that it changes nothing and that it is destructive", "drop one of them"),
  ];
}

function checkDescriptions({ name, description = "", inputSchema }: Tool): Finding[] {
  const bare = Object.entries(inputSchema.properties ?? {}).filter(([, schema]) => !hasDescription(schema));
  const names = bare.map(([key]) => key).join(", ");
  const missing = "it has no description, so that a model must guess";
  return [
    ...(description.trim() === "" ? [advice(name, missing, "describe what it does and when to use it")] : []),
    ...(bare.length > 0
      ? [advice(name, `these arguments have no description: ${names}`, "describe them in the schema")]
      : []),
  ];
}

function hasDescription(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && ("description" in schema || "$ref" in schema);
}

/** The parts that each provider would refuse or not understand, by the rules of `allspeak/host`. */
export function checkProviders(tools: readonly Tool[]): ProviderVerdict[] {
  return tools.flatMap((tool) =>
    providers.flatMap((provider) => {
      const problems = [
        ...checkName(tool.name),
        ...checkDescription(tool, provider),
        ...checkSchema(tool, provider),
      ];
      return problems.length === 0 ? [] : [{ tool: tool.name, provider, problems }];
    }),
  );
}

function checkName(name: string): string[] {
  return providerName.test(name) ? [] : ["the name is not of 1 to 64 letters, digits, _ and -"];
}

function checkDescription({ description = "" }: Tool, provider: ModelProvider): string[] {
  const most = longestDescription[provider];
  return most !== undefined && description.length > most
    ? [`the description is longer than ${most} characters`]
    : [];
}

function checkSchema({ inputSchema }: Tool, provider: ModelProvider): string[] {
  return fitSchema(inputSchema, provider).changes.map(
    ({ path, keyword }) => `"${keyword}"${path === "" ? "" : ` at ${path}`} is not understood`,
  );
}

const finding =
  (severity: Finding["severity"]) =>
  (tool: string, problem: string, fix: string): Finding => ({
    severity,
    about: `tool ${JSON.stringify(tool)}`,
    problem,
    fix,
  });
const unsafe = finding("unsafe");
const broken = finding("broken");
const advice = finding("advice");
