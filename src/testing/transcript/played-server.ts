import type { Pipe } from "../../contract/pipe.ts";
import type { Transport } from "../../contract/transport.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { pipeTransport } from "../../peer/pipe-transport.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import { createMemoryPipe } from "../../transports/memory/pipe.ts";
import { MessageNames, showItem, toMatchKey } from "./describe-message.ts";
import { compareValues, type Difference, type ReplayReport, toReplayReport } from "./difference.ts";
import { FreeValues, withoutFree } from "./free-values.ts";
import { type Transcript, type TranscriptEntry, toContent, type WireMessage } from "./transcript.ts";

interface Step extends TranscriptEntry {
  readonly message: WireMessage;
  readonly name: string;
  isDone: boolean;
  /** The request of the client that a message of the server waits for. */
  readonly request: Step | undefined;
  /** The answers of the client that it waits for, by their number: from the first that is not known to have come. */
  nextAnswer: number;
  readonly answers: number;
}

/** Descriptions of the client itself, which change with each version of its library. */
const selfDescriptions = ["params.clientInfo", 'params._meta["io.modelcontextprotocol/clientInfo"]'];

/** The server of a transcript: it sends what the recorded one sent, when the client has sent what led to it. */
export class PlayedServer {
  readonly transport: Transport;
  readonly #steps: readonly Step[];
  /** The messages of the client that are still expected, by their kind. */
  readonly #expected = new Map<string, Step[]>();
  /** The messages of the server that are still to be sent. */
  #unsent: readonly Step[];
  readonly #answers: readonly Step[];
  readonly #values = new FreeValues();
  readonly #names = new MessageNames();
  readonly #ignore: readonly string[];
  readonly #differences: Difference[] = [];

  constructor({ entries }: Transcript, { ignore = [] }: { readonly ignore?: readonly string[] | undefined }) {
    this.#steps = toSteps(entries, this.#names);
    this.#unsent = this.#steps.filter(({ from }) => from === "server");
    this.#answers = this.#steps.filter(isAnswerOfClient);
    for (const step of this.#steps) {
      if (step.from !== "client") continue;
      const kind = kindOf(step.message);
      const expected = this.#expected.get(kind);
      if (expected) expected.push(step);
      else this.#expected.set(kind, [step]);
    }
    this.#ignore = [...selfDescriptions, ...ignore];
    this.transport = pipeTransport("memory", () => this.#open());
  }

  /** The differences so far; messages that the client has not sent are missing. */
  get report(): ReplayReport {
    const missing = this.#steps
      .filter(({ from, isDone }) => from === "client" && !isDone)
      .map(({ name, message }) => ({ kind: "missing", message: name, wire: message }) as const);
    return toReplayReport([...this.#differences, ...missing]);
  }

  #open(): Pipe {
    const [near, far] = createMemoryPipe();
    far.start({
      onText: (text) => this.#receive(toContent(text).message, far),
      onUnreadable: () => {},
      onStrayOutput: () => {},
      onClose: () => {},
    });
    return near;
  }

  #receive(actual: WireMessage | undefined, pipe: Pipe): void {
    if (actual === undefined) return;
    const step = this.#find(actual);
    if (step === undefined) return this.#refuse(actual, pipe);
    step.isDone = true;
    this.#values.learn(step.message, actual, "client");
    this.#addChanges(step, actual);
    this.#unsent = this.#unsent.filter((next) => {
      if (next.request?.isDone === false || !this.#isAnswered(next)) return true;
      void pipe.write(JSON.stringify(this.#values.translate(next.message, "server")));
      return false;
    });
  }

  #isAnswered(step: Step): boolean {
    while (step.nextAnswer < step.answers && this.#answers[step.nextAnswer]?.isDone) step.nextAnswer++;
    return step.nextAnswer === step.answers;
  }

  /** The recorded message that this one repeats: one that is the same, else the first that asks for the same. */
  #find(actual: WireMessage): Step | undefined {
    const key = toMatchKey(actual);
    const expected = this.#expected.get(kindOf(actual)) ?? [];
    const open = expected.filter(({ message }) =>
      isRequest(message)
        ? this.#compare(toDemand(message), toDemand(actual)).length === 0
        : toMatchKey(this.#values.translate(message, "client")) === key,
    );
    const found = open.find(({ message }) => this.#compare(message, actual).length === 0) ?? open[0];
    if (found) expected.splice(expected.indexOf(found), 1);
    return found;
  }

  #compare(recorded: WireMessage, actual: WireMessage): ReturnType<typeof compareValues> {
    return compareValues(withoutFree(recorded, "client"), withoutFree(actual, "client"), this.#ignore);
  }

  #addChanges(step: Step, actual: WireMessage): void {
    const changed = this.#compare(step.message, actual);
    this.#differences.push(
      ...changed.map((change) => ({ kind: "changed", message: step.name, ...change }) as const),
    );
  }

  /** Refuses what was not recorded. The report shows how it differs from a request that is about the same. */
  #refuse(actual: WireMessage, pipe: Pipe): void {
    const name = this.#names.of({ at: 0, from: "client", message: actual });
    const near = this.#expected.get(kindOf(actual))?.find(({ message }) => isNear(message, actual));
    if (near) this.#addChanges(near, actual);
    else this.#differences.push({ kind: "unexpected", message: name, wire: actual });
    if (!isObject(actual) || actual.method === undefined || actual.id === undefined) return;
    const error = { code: WireCode.internal, message: `The transcript has no further ${name}.` };
    void pipe.write(JSON.stringify({ jsonrpc: "2.0", id: actual.id, error }));
  }
}

/**
 * The messages, each with those of the client without which the server would not have sent it: the request that it
 * answers, or the last request, and all answers since then. Other requests may come in another order, or never.
 */
function toSteps(entries: readonly TranscriptEntry[], names: MessageNames): Step[] {
  const steps: Step[] = [];
  const requests = new Map<unknown, Step>();
  let lastRequest: Step | undefined;
  const answersBefore = new Map<Step, number>();
  let answers = 0;
  for (const [index, entry] of entries.entries()) {
    const { message } = entry;
    const name = names.of(entry, index + 2);
    if (message === undefined) continue;
    const isAnswer = isObject(message) && message.method === undefined;
    const request = isAnswer ? requests.get(message.id) : lastRequest;
    const nextAnswer = (request && answersBefore.get(request)) ?? 0;
    const step: Step = { ...entry, message, name, isDone: false, request, nextAnswer, answers };
    steps.push(step);
    if (isAnswerOfClient(step)) answers++;
    if (entry.from !== "client" || !isRequest(message)) continue;
    lastRequest = step;
    answersBefore.set(step, answers);
    requests.set(message.id, step);
  }
  return steps;
}

function isAnswerOfClient({ from, message }: Step): boolean {
  return from === "client" && isObject(message) && message.method === undefined;
}

function isRequest(message: WireMessage): message is JsonObject {
  return isObject(message) && message.method !== undefined && message.id !== undefined;
}

/** Members of params about the asker and earlier answers, and not about what is asked for. */
const aside = new Set(["_meta", "clientInfo", "capabilities"]);

/** A request without the members that may differ between two clients which ask for the same. */
function toDemand(message: WireMessage): WireMessage {
  if (!isObject(message) || !isObject(message.params)) return message;
  const { inputResponses, ...others } = message.params;
  const members = Object.entries(others).filter(([name]) => !aside.has(name));
  return {
    method: message.method,
    params: { ...Object.fromEntries(members), ...(inputResponses !== undefined && { inputResponses: true }) },
  };
}

/** Requests of one method about one tool, prompt or resource. */
function isNear(recorded: WireMessage, actual: WireMessage): boolean {
  if (!isRequest(recorded) || !isRequest(actual)) return false;
  return showItem(recorded) !== "" && showItem(recorded) === showItem(actual);
}

/** The part of the match key that is known before the conversation. */
function kindOf(message: WireMessage): string {
  if (!isObject(message)) return "batch";
  const { method } = message;
  return method === undefined
    ? "answer"
    : `${isRequest(message) ? "request" : "notification"} ${String(method)}`;
}
