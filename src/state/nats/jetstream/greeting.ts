import { afterAwake } from "../../../lib/async/timers.ts";

/** The port of NATS where a URL names none. */
const defaultPort = 4222;
/** The beginning of the first line of every server, before TLS, too. */
const greeting = "INFO ";

/**
 * The servers, the first that greets as NATS does in front; rejects where none does.
 *
 * The client of NATS leaves the socket to a server open that never greets, which would keep the process alive.
 */
export async function awaitGreeting(
  servers: readonly URL[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly URL[]> {
  // Loaded on demand, like the client: a connection that is handed in may come from where there is no Node.
  const { connect } = await import("node:net");
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  try {
    const first = await Promise.any(
      servers.map((server) => greeted(connect, server, { timeoutMs, signal: either })),
    );
    return [first, ...servers.filter((server) => server !== first)];
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    done.abort();
  }
}

function greeted(
  connect: typeof import("node:net")["connect"],
  server: URL,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<URL> {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(server.port || defaultPort) });
    const end = (outcome: () => void) => {
      stop();
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      outcome();
    };
    const fail = (reason: string, cause?: unknown) =>
      end(() => reject(new Error(`${server.host} ${reason}`, { cause })));
    const hint = "check the address, and that NATS listens there";
    const stop = afterAwake(timeoutMs, () => fail(`has not answered within ${timeoutMs / 1000} s; ${hint}.`));
    const onAbort = () => fail("is not needed any more: the state in NATS was closed.");
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      if (text.startsWith(greeting)) end(() => resolve(server));
      else if (!greeting.startsWith(text)) fail(`does not speak the protocol of NATS; ${hint}.`);
    });
    socket.on("error", (cause) => fail(`can't be reached: ${cause.message}`, cause));
    socket.on("close", () => fail(`has closed the connection without a word; ${hint}.`));
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
  });
}
