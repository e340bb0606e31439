import type { ServerResponse } from "node:http";
import type { HolderSource } from "../../../../contract/caller/holder.ts";
import type { EventSink, HttpReply, ResponseHeaders } from "../http-interface.ts";
import type { BodyLimits } from "../request/body-limits.ts";
import { type AnsweredRequest, NodeEventSink, NodeStallTimer } from "./node-event-sink.ts";

const requestTimeout = 408;

/** A reply over node:http. */
export class NodeReply implements HttpReply, AnsweredRequest {
  readonly response: ServerResponse;
  readonly stallMs: number;
  limits: BodyLimits | undefined;
  caller: HolderSource | undefined;

  constructor(response: ServerResponse, stallMs: number) {
    this.response = response;
    this.stallMs = stallMs;
    endWithConnection(response);
  }

  countUnread(limits: BodyLimits, caller: HolderSource): void {
    this.limits = limits;
    this.caller = caller;
  }

  send(status: number, headers: ResponseHeaders, body?: string): void {
    const bytes = body === undefined ? 0 : Buffer.byteLength(body);
    const flat = toFlat(headers);
    flat.push("content-length", `${bytes}`);
    // A body that is too slow is not waited for. The rest of other bodies is read and dropped: closing the
    // connection while the client sends may lose the answer.
    if (status === requestTimeout) flat.push("connection", "close");
    const encoding = bytes === body?.length ? "latin1" : "utf8";
    queueAnswer({ request: this, status, headers: flat, body, encoding });
  }

  stream(headers: ResponseHeaders): EventSink {
    this.response.writeHead(200, headers);
    this.response.flushHeaders();
    return new NodeEventSink(this);
  }

  onGone(listener: () => void): void {
    const { response } = this;
    const onClose = () => {
      if (!response.writableFinished) listener();
    };
    if (response.closed || (response.destroyed && response.socket === null)) queueMicrotask(onClose);
    else response.on("close", onClose);
  }
}

/** Names and values in turn: the form that node:http reads fastest. */
function toFlat(headers: ResponseHeaders): string[] {
  const flat: string[] = [];
  for (const name in headers) flat.push(name, headers[name] ?? "");
  return flat;
}

/** A whole answer, with its headers as names and values in turn: the form that node:http reads fastest. */
interface WholeAnswer {
  readonly request: AnsweredRequest;
  readonly status: number;
  readonly headers: string[];
  readonly body: string | undefined;
  readonly encoding: "latin1" | "utf8";
}

/** The time that an answer waits for others, unless a handler keeps the turn for longer. */
const maxWaitMs = 1;

let queue: WholeAnswer[] = [];
let queuedAt = 0;
let scheduled: NodeJS.Immediate | undefined;

/**
 * Sends an answer with all others of this turn of the event loop.
 *
 * Every write wakes its reader, and to wake a process of the same machine costs as much as the rest of a call.
 * Writes that follow each other find it awake.
 */
export function queueAnswer(answer: WholeAnswer): void {
  queue.push(answer);
  // For `performance` Node would load ten modules before the first answer. A clock that is set does no harm here.
  const now = Date.now();
  if (queue.length === 1) queuedAt = now;
  if (now - queuedAt > maxWaitMs) sendQueuedAnswers();
  else scheduled ??= setImmediate(sendQueuedAnswers);
}

/** Sends what waits for the end of the turn. Call it before connections are closed. */
export function sendQueuedAnswers(): void {
  clearImmediate(scheduled);
  scheduled = undefined;
  const answers = queue;
  queue = [];
  for (const answer of answers) send(answer);
}

function send({ request, status, headers, body, encoding }: WholeAnswer): void {
  const { response } = request;
  if (response.destroyed) return;
  if (response.headersSent) return void response.destroy();
  try {
    response.writeHead(status, headers);
  } catch (error) {
    return fail(response, error);
  }
  if (body !== undefined) {
    response.write(body, encoding);
    // Without this the text would wait for the empty end, and both would leave in a slower write.
    response.socket?.uncork();
  }
  response.end();
  if (response.writableLength > 0) new NodeStallTimer(request).start();
}

/** Answers in the place of what can't be sent: an exception here would end the process, and with it all other answers. */
function fail(response: ServerResponse, error: unknown): void {
  process.emitWarning(`An answer over HTTP has a header that can't be sent: ${(error as Error).message}`);
  const body = '{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"}}';
  response.writeHead(500, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}

/** The answers of a connection that wait for those to earlier requests. */
const waiting = new WeakMap<object, Set<ServerResponse>>();

/**
 * Ends an answer with its connection, also while it waits for its turn.
 *
 * Of pipelined requests, node:http notifies only the first that its client has gone: the calls of the others would go on,
 * and their streams would stay open indefinitely.
 */
function endWithConnection(response: ServerResponse): void {
  if (response.socket !== null) return;
  const { socket } = response.req;
  const answers = waiting.get(socket) ?? new Set();
  if (!waiting.has(socket)) {
    waiting.set(socket, answers);
    socket.once("close", () => {
      for (const answer of answers) answer.destroy().emit("close");
    });
  }
  answers.add(response);
  response.once("socket", () => answers.delete(response));
}
