import { isSuspension } from "./suspension.ts";

interface NodeLike {
  on(event: "unhandledRejection", listener: (reason: unknown) => void): unknown;
  listenerCount(event: "unhandledRejection"): number;
}

interface EventLike {
  readonly reason: unknown;
  preventDefault(): void;
}

let isGuarded = false;

/**
 * Keeps a question that ends before anybody waits for it (`const later = ask(ctx); await work();`)
 * from ending the process. Every other rejection that nobody handles is treated as if this were not here.
 */
export function ignoreUnhandledSuspensions(): void {
  if (isGuarded) return;
  isGuarded = true;
  const { process, addEventListener } = globalThis as {
    process?: Partial<NodeLike>;
    addEventListener?: (event: string, listener: (event: EventLike) => void) => void;
  };
  if (process?.on && process.listenerCount) guardNode(process as NodeLike);
  else
    addEventListener?.("unhandledrejection", (event) => isSuspension(event.reason) && event.preventDefault());
}

function guardNode(process: NodeLike): void {
  process.on("unhandledRejection", (reason) => {
    // Without a listener of the host's own, it would have been thrown.
    if (!isSuspension(reason) && process.listenerCount("unhandledRejection") === 1) throw reason;
  });
}
