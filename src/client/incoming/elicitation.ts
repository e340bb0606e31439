import { UsageError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ElicitForm, ElicitRequest, ElicitResult, ElicitUrl } from "../../protocol/model/elicitation.ts";
import { invalidParams } from "../../protocol/wire-error.ts";
import { applyDefaults } from "../../schema/defaults.ts";
import { SchemaRefusedError } from "../../schema/error.ts";
import { compilePeerValidator } from "../../schema/validator/peer-validator.ts";
import type { ElicitationMode } from "../capabilities.ts";
import { isForwarded } from "./forwarded-answer.ts";

/** Asks the host; `toAnswer` checks its answer, and throws if it is wrong. */
type AskUser = (ask: ElicitRequest, toAnswer: (given: ElicitResult) => ElicitResult) => Promise<ElicitResult>;

/**
 * Puts an elicitation to the user, checks the answer against its schema, and fills in the defaults of the form.
 *
 * client/elicitation#form-mode-security (2025-11-25)
 */
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
  return askUser(ask, (given) => {
    const answer = toElicitResult(given);
    const { action, content, ...others } = answer;
    if (action !== "accept") return { ...others, action };
    assertFormHas(requestedSchema, content ?? {});
    const complete = applyDefaults(requestedSchema, content ?? {}) as JsonObject;
    const checked = validator.validate(complete);
    if (checked.ok) return isForwarded(answer) ? answer : { ...others, action, content: complete };
    const issues = checked.issues.map(({ path, message }) => `${path} ${message}`.trim());
    throw new UsageError(`the content does not fit what was asked for: ${issues.join("; ")}.`);
  });
}

/** A member that the form does not have is a misspelled field, or something that the server must not get. */
function assertFormHas({ properties }: JsonObject, content: JsonObject): void {
  const fields = isObject(properties) ? properties : {};
  const unknown = Object.keys(content).find((name) => !Object.hasOwn(fields, name));
  if (unknown === undefined) return;
  const names = Object.keys(fields).join(", ") || "none";
  throw new UsageError(
    `the content has ${JSON.stringify(unknown)}, which is not a field of the form (${names}).`,
  );
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
  if (!isWebUrl(params.url))
    throw invalidParams("url must be an http or https URL in ASCII, without a user.");
  return askUser(params as unknown as ElicitUrl, (given) => {
    const { content: _, ...answer } = toElicitResult(given);
    return answer;
  });
}

/**
 * Other schemes (`javascript:`, `file:`) run or reveal things on the user's machine. A user before
 * the host, letters of other alphabets and what can't be seen make one address look like another.
 *
 * client/elicitation#safe-url-handling (2025-11-25)
 */
function isWebUrl(value: unknown): boolean {
  if (typeof value !== "string" || !/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i.test(value)) return false;
  if (!URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}

function toElicitResult(answer: unknown): ElicitResult {
  const action = isObject(answer) ? answer.action : undefined;
  if (action === "accept" || action === "decline" || action === "cancel")
    return answer as unknown as ElicitResult;
  throw new UsageError('the answer must have an action: "accept", "decline" or "cancel".');
}
