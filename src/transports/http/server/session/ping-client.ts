import type { EndpointContext } from "../endpoint-context.ts";
import type { EventConnection } from "../events/event-connection.ts";
import type { HttpSession } from "./http-session.ts";

interface PingedStream {
  readonly connection: EventConnection;
  /** Ends the stream; the client may come back to it. */
  readonly end: () => void;
}

/**
 * Pings a client over the stream beside its calls, where the server is to. Returns what stops it.
 *
 * basic/utilities/ping#implementation-considerations (2025-11-25)
 */
export function pingClient(
  { ping, service }: Pick<EndpointContext, "ping" | "service">,
  session: HttpSession,
  { connection, end }: PingedStream,
): () => void {
  if (ping === undefined || !session.session.revision.methods.has("ping")) return () => {};
  // Loaded when needed: few servers want pings.
  const starting = import("../../../../peer/pings.ts")
    .then(
      ({ Pings }) =>
        new Pings(ping, {
          ping: (ms) => {
            if (connection.closed || !session.isReady) return undefined;
            const timeout = { idle: ms, total: ms };
            return session.ask(connection, "ping", {}, { timeout, suppressCancel: true });
          },
          onProblem: (problem) => service.report("The client does not answer", problem),
          close: (reason) => {
            service.report("A stream was closed", reason);
            end();
          },
        }),
    )
    .catch((cause: unknown) => void service.report("The client gets no pings", cause));
  return () => void starting.then((pings) => pings?.stop());
}
