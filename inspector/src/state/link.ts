import { signal } from "@preact/signals";
import type { Failure } from "../../../src/inspector/messages/reply.ts";
import type {
  Events,
  EventType,
  RequestParams,
  RequestResult,
  RequestType,
  ServerMessage,
} from "../../../src/inspector/messages.ts";

/** A request that the inspector's server answered with a failure. */
export class RequestFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface OpenRequest<Type extends RequestType> {
  readonly id: number;
  readonly reply: Promise<RequestResult<Type>>;
}

/** `refused`: the session is unknown, and only a new address from the terminal helps. */
export type LinkState = "connecting" | "open" | "lost" | "refused";

export const linkState = signal<LinkState>("connecting");

const waiting = new Map<number, Waiting>();
const listeners = new Map<string, Set<(event: never) => void>>();
let socket: WebSocket | undefined;
let lastId = 0;

export function send<Type extends RequestType>(type: Type, params: RequestParams<Type>): OpenRequest<Type> {
  lastId += 1;
  const id = lastId;
  const reply = new Promise<RequestResult<Type>>((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN) return reject(lost());
    waiting.set(id, { resolve: (result) => resolve(result as RequestResult<Type>), reject });
    socket.send(JSON.stringify({ type, id, params }));
  });
  return { id, reply };
}

export function request<Type extends RequestType>(
  type: Type,
  params: RequestParams<Type>,
): Promise<RequestResult<Type>> {
  return send(type, params).reply;
}

export function onEvent<Type extends EventType>(
  type: Type,
  listener: (event: Events[Type]) => void,
): () => void {
  const all = listeners.get(type) ?? new Set();
  listeners.set(type, all.add(listener as (event: never) => void));
  return () => all.delete(listener as (event: never) => void);
}

/** Opens the socket, and again whenever it is lost; `onOpen` opens the session and rejects if there is none. */
export function keepOpen(onOpen: () => Promise<void>): void {
  let pauseMs = 250;
  const open = () => {
    const address = new URL("socket", document.baseURI);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    address.search = "";
    socket = new WebSocket(address);
    socket.onmessage = ({ data }) => receive(JSON.parse(String(data)) as ServerMessage);
    socket.onopen = () => {
      onOpen().then(
        () => {
          pauseMs = 250;
          linkState.value = "open";
        },
        (error: unknown) => {
          linkState.value = error instanceof RequestFailure ? "refused" : "lost";
        },
      );
    };
    socket.onclose = () => {
      for (const { reject } of waiting.values()) reject(lost());
      waiting.clear();
      if (linkState.value === "refused") return;
      linkState.value = "lost";
      pauseMs = Math.min(pauseMs * 2, 5000);
      setTimeout(open, pauseMs);
    };
  };
  open();
}

function receive(message: ServerMessage): void {
  if (message.type === "result") return settle(message.id)?.resolve(message.result);
  if (message.type === "failure") return settle(message.id)?.reject(new RequestFailure(message.failure));
  for (const listener of listeners.get(message.type) ?? []) listener(message as never);
}

function settle(id: number): Waiting | undefined {
  const found = waiting.get(id);
  waiting.delete(id);
  return found;
}

function lost(): RequestFailure {
  return new RequestFailure({
    code: "connection-lost",
    message: "The inspector's server can't be reached.",
    hint: "Look at the terminal in which it was started. The page connects again by itself.",
  });
}

export function toFailure(error: unknown): Failure {
  if (error instanceof RequestFailure) return error.failure;
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
}
