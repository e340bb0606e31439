import type { ServerResponse } from "node:http";

/** The answers of a connection that wait for those to earlier requests. */
const waiting = new WeakMap<object, Set<ServerResponse>>();

/**
 * Ends an answer with its connection, also while it waits for its turn.
 *
 * Of pipelined requests, node:http notifies only the first that its client has gone: the calls of the others would go on,
 * and their streams would stay open indefinitely.
 */
export function endWithConnection(response: ServerResponse): void {
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
