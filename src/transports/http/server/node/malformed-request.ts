import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { sendError } from "../error-response.ts";
import { isStreaming } from "./node-event-sink.ts";
import { SocketReply } from "./socket-reply.ts";

/** Answers a request that is not HTTP, or came too slowly, with a JSON-RPC error. */
export function answerMalformed(error: Error & { code?: string }, socket: Duplex): void {
  // The reader of an event stream on this connection would take this answer for an event.
  if (isStreaming(socket)) return void socket.destroy();
  const status = toStatus(error.code);
  sendError(new SocketReply(socket), status, STATUS_CODES[status] ?? "");
}

function toStatus(code: string | undefined): number {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    case "HPE_HEADER_OVERFLOW":
      return 431;
    default:
      return 400;
  }
}
