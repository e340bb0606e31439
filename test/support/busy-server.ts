import { createServer, type Server, tool } from "../../src/index.ts";

export interface BusyServer {
  readonly server: Server;
  /** The names of the tools that ran, in order. */
  readonly calls: string[];
  /** What could not be used, as a server's author hears of it. */
  readonly problems: string[];
  /** Settles when a hanging call is aborted. */
  readonly aborted: Promise<void>;
  /** Settles when a hanging call has begun. */
  readonly hanging: Promise<void>;
  /** Lets every hanging call end. */
  release(): void;
}

/** A server whose tools do what transports have to cope with. */
export function createBusyServer(): BusyServer {
  const calls: string[] = [];
  const problems: string[] = [];
  const [aborted, onAborted] = signalled();
  const [hanging, onHanging] = signalled();
  const [released, release] = signalled();
  const echo = tool("echo", { input: { type: "object" } }, (args) => {
    calls.push("echo");
    return JSON.stringify(args);
  });
  const hang = tool("hang", {}, async (_args, ctx) => {
    calls.push("hang");
    onHanging();
    ctx.signal.addEventListener("abort", onAborted);
    await Promise.race([released, aborted]);
    return "released";
  });
  const large = tool("large", { input: { type: "object" } }, (args) => {
    calls.push("large");
    return "x".repeat(Number((args as { size: number }).size));
  });
  const server = createServer({
    name: "busy",
    version: "1.0.0",
    tools: [echo, hang, large],
    log: ({ message, cause }) =>
      problems.push(`${message}: ${cause instanceof Error ? cause.message : cause}`),
  });
  return { server, calls, problems, aborted, hanging, release };
}

function signalled(): [Promise<void>, () => void] {
  let resolve = (): void => {};
  const promise = new Promise<void>((onResolve) => {
    resolve = onResolve;
  });
  return [promise, resolve];
}
