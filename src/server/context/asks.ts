import type { Call } from "../../contract/call.ts";
import { timeoutKinds } from "../../contract/deadline.ts";
import { assertOptions, type OptionKinds } from "../../contract/options.ts";
import {
  CapabilityError,
  InvalidResponseError,
  type McpError,
  NotInRevisionError,
  UsageError,
} from "../../errors.ts";
import { isPromise } from "../../lib/async/maybe-promise.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeIssues } from "../../lib/text/issue.ts";
import { encodeAsk, neededCapability } from "../../protocol/ask/ask.ts";
import { missingAskFeature } from "../../protocol/ask/ask-rules.ts";
import { checkContent, checkRoot } from "../../protocol/check/model-check.ts";
import { findToolViolation } from "../../protocol/check/tool-results.ts";
import { assertCustomName } from "../../protocol/custom-method.ts";
import type { ElicitResult } from "../../protocol/model/elicitation.ts";
import { type ClientCapabilities, hasCapability } from "../../protocol/model/identity.ts";
import type { AskMethod } from "../../protocol/model/input-required.ts";
import type { Root } from "../../protocol/model/root.ts";
import type { SamplingRequest, SamplingResult } from "../../protocol/model/sampling.ts";
import type { Revision } from "../../protocol/revision.ts";
import type { SchemaInput } from "../../schema/compile.ts";
import { applyDefaults } from "../../schema/defaults.ts";
import { compileForm } from "../define/compile-form.ts";
import { rethrowClientRefusal } from "../errors/rpc-error-origin.ts";
import type { AskStrategy } from "../replay/ask-strategy.ts";
import { emptyRecord, Journal } from "../replay/journal.ts";
import { LiveAskStrategy } from "../replay/live-ask-strategy.ts";
import { ReplayAskStrategy } from "../replay/replay-ask-strategy.ts";
import { assertElicitation, assertMessages } from "./ask-shape.ts";
import type { AskOptions, CustomRequestOptions, Elicited, Sampled, UrlElicitation } from "./context.ts";
import { MissingCapabilities } from "./missing-capabilities.ts";

/** A run of a handler, which asks. */
export interface AskRun {
  readonly call: Call;
  readonly asking: AskStrategy;
}

/** A question of a handler, with its name within the call. */
interface Ask extends AskRun {
  readonly key: string;
}

interface UserAsk extends Ask {
  readonly message: string;
}

type Elicitation = readonly [message: string, asked: object, options?: AskOptions<unknown>];
type ElicitForm = Elicitation | readonly [key: string, ...Elicitation];

const askOptionKinds: OptionKinds<AskOptions<unknown>> = {
  fallback: "any",
  timeout: timeoutKinds,
  task: "boolean",
};

const urlElicitationKinds: OptionKinds<UrlElicitation> = { url: "url", id: "string" };

/** Asks the user, by any of the signatures of `ctx.elicit`. */
export async function askUser(run: AskRun, given: readonly unknown[]): Promise<unknown> {
  const form = given as ElicitForm;
  const [key, message, asked, options = {}] = isNamedElicitation(form) ? form : [undefined, ...form];
  assertElicitation(message, asked);
  assertOptions("ctx.elicit", options, askOptionKinds);
  if (isUrlElicitation(asked)) assertOptions("ctx.elicit", asked, urlElicitationKinds);
  const ask = { ...run, key: run.asking.name(key), message };
  return isUrlElicitation(asked) ? askUrl(ask, asked, options) : askForm(ask, asked as SchemaInput, options);
}

function isNamedElicitation(form: ElicitForm): form is readonly [key: string, ...Elicitation] {
  return typeof form[1] === "string";
}

function isUrlElicitation(asked: unknown): asked is UrlElicitation {
  return isObject(asked) && typeof asked.url === "string";
}

async function askForm(
  ask: UserAsk,
  schema: SchemaInput,
  options: AskOptions<unknown>,
): Promise<Elicited<unknown>> {
  const compiled = compileForm(schema);
  const form = isPromise(compiled) ? await compiled : compiled;
  const params = { mode: "form", message: ask.message, requestedSchema: form.jsonSchema };
  const wanted = { method: "elicitation/create", params, options } as const;
  return send<Elicited<unknown>>(ask, wanted, async (answer) => {
    const { action, content } = toElicitResult(ask, answer);
    if (action !== "accept") return { action };
    const given: unknown = content ?? {};
    const checked = await form.validate(isObject(given) ? applyDefaults(form.jsonSchema, given) : given);
    if (checked.ok) return { action, content: checked.value };
    throw new InvalidResponseError(
      `The answer to "${ask.key}" does not match its schema:\n${describeIssues(checked.issues)}`,
    );
  });
}

async function askUrl(
  ask: UserAsk,
  elicitation: UrlElicitation,
  options: AskOptions<unknown>,
): Promise<ElicitResult> {
  const { revision } = ask.call;
  const { url, id } = elicitation;
  const params = {
    mode: "url",
    message: ask.message,
    url,
    ...(revision.hasElicitationIds && { elicitationId: id ?? (await chooseElicitationId(ask)) }),
  };
  const wanted = { method: "elicitation/create", params, options } as const;
  return send<ElicitResult>(ask, wanted, async (answer) => ({ action: toElicitResult(ask, answer).action }));
}

/** The elicitation id, the same in every run of the handler. */
function chooseElicitationId({ asking, key }: Ask): Promise<string> {
  return asking.once(`~elicitation ${key}`, () => crypto.randomUUID());
}

const samplingRequestKinds: OptionKinds<SamplingRequest> = {
  messages: "array",
  maxTokens: "positive",
  systemPrompt: "string",
  modelPreferences: "object",
  includeContext: ["none", "thisServer", "allServers"],
  temperature: "number",
  stopSequences: "strings",
  metadata: "object",
  tools: "array",
  toolChoice: "object",
};

type Sampling = readonly [request: SamplingRequest, options?: AskOptions<Sampled>];
type SampleForm = Sampling | readonly [key: string, ...Sampling];

/** Asks the model, by any of the signatures of `ctx.sample`. */
export async function askModel(run: AskRun, given: readonly unknown[]): Promise<Sampled> {
  const form = given as SampleForm;
  const [key, request, options = {}] = isNamed(form) ? form : [undefined, ...form];
  if (!isObject(request) || request.messages === undefined || request.maxTokens === undefined)
    throw new UsageError(
      "ctx.sample takes a request such as { messages: [{ role, content }], maxTokens: 500 }.",
    );
  assertOptions("ctx.sample", request, samplingRequestKinds);
  assertMessages(request.messages);
  assertOptions("ctx.sample", options, askOptionKinds);
  const ask = { ...run, key: run.asking.name(key) };
  const { revision, client } = ask.call;
  const violation = findToolViolation(request.messages);
  if (violation !== undefined) throw new UsageError(`"${ask.key}" can't be asked. ${violation}`);
  const params = withContext(request, revision, client.capabilities);
  const wanted = { method: "sampling/createMessage", params, options } as const;
  return send(ask, wanted, async (answer) => toSampled(ask, answer));
}

function isNamed(form: SampleForm): form is readonly [key: string, ...Sampling] {
  return typeof form[0] === "string";
}

/**
 * Leaves out the wish for context that the client did not declare: it may only be used where it is.
 *
 * client/sampling#capabilities (2025-11-25)
 */
function withContext(
  request: SamplingRequest,
  { sampling }: Revision,
  capabilities: ClientCapabilities,
): JsonObject {
  const { includeContext, ...others } = request;
  const isGated = sampling.gatesContext && !hasCapability(capabilities, "sampling.context");
  return { ...(isGated ? others : request) };
}

export async function askRoots(
  run: AskRun,
  options: AskOptions<readonly Root[]> = {},
): Promise<readonly Root[]> {
  assertOptions("ctx.roots", options, askOptionKinds);
  const ask = { ...run, key: run.asking.name("roots") };
  const wanted = { method: "roots/list", params: {}, options } as const;
  return send(ask, wanted, async ({ roots }) => {
    if (!Array.isArray(roots))
      throw new InvalidResponseError("The client answered roots/list without roots.");
    return roots.filter((root) => checkRoot(root) === undefined) as Root[];
  });
}

/** A request of the author's own, with the options of `ctx.request`. */
interface CustomAsk {
  readonly method: string;
  readonly params?: JsonObject | undefined;
  readonly options?: CustomRequestOptions | undefined;
}

const customRequestOptionKinds: OptionKinds<CustomRequestOptions> = {
  signal: "signal",
  timeout: timeoutKinds,
  onProgress: "function",
  extension: "string",
};

/** Asks by a method that the specification does not have. */
export async function askCustom(
  { call, isTask }: { readonly call: Call; readonly isTask: boolean },
  { method, params = {}, options: given = {} }: CustomAsk,
): Promise<JsonObject> {
  assertCustomName(method);
  assertOptions("ctx.request", given, customRequestOptionKinds);
  const { extension, ...options } = given;
  const { revision, client } = call;
  if (revision.asking !== "live") throw new NotInRevisionError(`Asking by ${method}`, revision.version);
  if (isTask) throw new UsageError(`A task can't ask by ${method}; use ctx.elicit, ctx.sample or ctx.roots.`);
  if (extension !== undefined && !hasCapability(client.capabilities, `extensions.${extension}`))
    throw new CapabilityError(`extensions.${extension}`, "client", method);
  const signal = options.signal ? AbortSignal.any([call.signal, options.signal]) : call.signal;
  return call.ask(method, params, { ...options, signal }).catch(rethrowClientRefusal);
}

interface Wanted {
  readonly method: AskMethod;
  readonly params: JsonObject;
  readonly options: AskOptions<unknown>;
}

async function send<T>(
  ask: Ask,
  { method, params, options }: Wanted,
  read: (answer: JsonObject) => Promise<T>,
): Promise<T> {
  const obstacle = findObstacle(ask, method, params);
  if (obstacle) return instead(options, "fallback" in options ? obstacle : await withOthers(ask, obstacle));
  const { call, asking, key } = ask;
  const wire = encodeAsk(call.revision, method, params);
  const isTask = options.task === true && takesTasks(call, method);
  return asking.ask({ key, method, params: wire, timeout: options.timeout, isTask, read });
}

/** True if the client takes this request as a task: basic/utilities/tasks#capability-negotiation (2025-11-25). */
function takesTasks({ revision, client }: Call, method: AskMethod): boolean {
  const capability = revision.methods.get(method)?.taskCapability;
  if (capability === undefined || revision.tasks !== "by-sender") return false;
  return hasCapability(client.capabilities, capability);
}

/** The fallback of a question that the client can't be asked; throws without one. */
function instead<T>(options: AskOptions<unknown>, obstacle: McpError): T {
  if ("fallback" in options) return options.fallback as T;
  throw obstacle;
}

/** The capabilities that are missing, by the run that needs them. */
const missing = new WeakMap<AskStrategy, MissingCapabilities>();

/** The obstacle; where it is a missing capability, together with those of the questions asked in parallel. */
async function withOthers({ asking }: Ask, obstacle: McpError): Promise<McpError> {
  if (!(obstacle instanceof CapabilityError)) return obstacle;
  const known = missing.get(asking) ?? new MissingCapabilities();
  missing.set(asking, known);
  return known.join(obstacle);
}

/** The error for a client that can't be asked; undefined if it can. client/elicitation#capabilities (2025-11-25) */
function findObstacle({ call, key }: Ask, method: AskMethod, params: JsonObject): McpError | undefined {
  const what = `Asking "${key}" by ${method}`;
  const { methods, asking, version } = call.revision;
  const feature = missingAskFeature(call.revision, method, params);
  if (feature !== undefined) return new NotInRevisionError(feature, version);
  const row = methods.get(method);
  if (row === undefined) return new NotInRevisionError(what, version);
  const capability = neededCapability(row, params, call.client.capabilities);
  if (capability !== undefined && !hasCapability(call.client.capabilities, capability))
    return new CapabilityError(capability, "client", what);
  if (asking === "rounds" && !methods.get(call.method)?.rounds) {
    return new NotInRevisionError(`${what} within ${call.method}`, version);
  }
  return undefined;
}

const actions: readonly unknown[] = ["accept", "decline", "cancel"];

function toElicitResult(ask: Ask, answer: JsonObject): ElicitResult {
  if (!actions.includes(answer.action)) {
    throw new InvalidResponseError(`The client answered "${ask.key}" with no action.`);
  }
  return answer as unknown as ElicitResult;
}

function toSampled(ask: Ask, answer: JsonObject): Sampled {
  const blocks: unknown[] = Array.isArray(answer.content) ? answer.content : [answer.content];
  if (typeof answer.role !== "string" || blocks.some((block) => checkContent(block) !== undefined)) {
    throw new InvalidResponseError(`The client answered "${ask.key}" with no message.`);
  }
  const texts = blocks.map((block) => (isObject(block) && typeof block.text === "string" ? block.text : ""));
  return { ...(answer as unknown as SamplingResult), text: texts.join("") };
}

/** The ask strategy for the first run of a handler. */
export function createAskStrategy(call: Call): AskStrategy {
  const { asking, methods } = call.revision;
  if (asking === "live" || !methods.get(call.method)?.rounds) return new LiveAskStrategy(call);
  const { inputResponses } = call.params;
  return new ReplayAskStrategy(new Journal(emptyRecord, isObject(inputResponses) ? inputResponses : {}));
}
