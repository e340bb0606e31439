import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { sendError } from "../error-response.ts";
import { isStreaming } from "./node-reply.ts";
import { SocketReply } from "./socket-reply.ts";

/** What is not even HTTP, or came too slowly, is answered in JSON-RPC all the same. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  // Whoever reads the events of an earlier request would read this answer as one of them.
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
