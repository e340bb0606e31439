import { invalidParams, UsageError } from "../protocol/errors.ts";
import { isObject, type JsonObject } from "../protocol/json.ts";
import type { ElicitForm, ElicitRequest, ElicitResult, ElicitUrl } from "../protocol/model/ask.ts";
import { applyDefaults, compilePeerValidator, SchemaRefusedError } from "../schema/index.ts";
import type { ElicitationMode } from "./capabilities.ts";

type AskUser = (ask: ElicitRequest) => ElicitResult | Promise<ElicitResult>;

/** Puts a server's question to the user, and makes sure that the answer is one. */
export async function answerElicitation(
  params: JsonObject,
  modes: ReadonlySet<ElicitationMode>,
  askUser: AskUser,
): Promise<ElicitResult> {
  const mode = params.mode ?? "form";
  if (mode !== "form" && mode !== "url") throw invalidParams(`mode must be form or url.`);
  if (!modes.has(mode)) throw invalidParams(`This client does not declare elicitation in ${mode} mode.`);
  return mode === "form" ? answerForm(params, askUser) : answerUrl(params, askUser);
}

async function answerForm(params: JsonObject, askUser: AskUser): Promise<ElicitResult> {
  const { requestedSchema } = params;
  if (!isObject(requestedSchema)) throw invalidParams("requestedSchema must be an object.");
  const validator = await compileRequested(requestedSchema);
  const ask = { ...params, mode: "form", requestedSchema } as unknown as ElicitForm;
  const { action, content } = toElicitResult(await askUser(ask));
  if (action !== "accept") return { action };

  const complete = applyDefaults(requestedSchema, content ?? {}) as JsonObject;
  const checked = validator.validate(complete);
  if (checked.ok) return { action, content: complete };
  const issues = checked.issues.map(({ path, message }) => `${path} ${message}`.trim());
  throw new UsageError(`elicit answered with content that does not fit: ${issues.join("; ")}.`);
}

async function compileRequested(schema: JsonObject): ReturnType<typeof compilePeerValidator> {
  try {
    return await compilePeerValidator(schema);
  } catch (error) {
    if (error instanceof SchemaRefusedError)
      throw invalidParams(`requestedSchema is refused: ${error.message}`);
    throw error;
  }
}

async function answerUrl(params: JsonObject, askUser: AskUser): Promise<ElicitResult> {
  if (!isWebUrl(params.url)) throw invalidParams("url must be an http or https URL.");
  const { action } = toElicitResult(await askUser(params as unknown as ElicitUrl));
  return { action };
}

/** Other schemes (`javascript:`, `file:`) run or reveal things on the user's machine. */
function isWebUrl(value: unknown): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  return ["http:", "https:"].includes(new URL(value).protocol);
}

function toElicitResult(answer: unknown): ElicitResult {
  const action = isObject(answer) ? answer.action : undefined;
  if (action === "accept" || action === "decline" || action === "cancel")
    return answer as unknown as ElicitResult;
  throw new UsageError('elicit must answer with an action: "accept", "decline" or "cancel".');
}
