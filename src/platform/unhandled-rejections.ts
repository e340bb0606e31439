interface NodeLike {
  on(event: "unhandledRejection", listener: (reason: unknown) => void): unknown;
  listenerCount(event: "unhandledRejection"): number;
}

interface EventLike {
  readonly reason: unknown;
  preventDefault(): void;
}

let isInstalled = false;

/**
 * Installs the listener that keeps expected rejections without a handler from ending the process.
 *
 * Every other such rejection behaves as if the listener were not there. Node, Deno and Bun have `process`;
 * elsewhere the global object has the event.
 */
export function ignoreUnhandledRejections(isExpected: (reason: unknown) => boolean): void {
  if (isInstalled) return;
  isInstalled = true;
  const { process, addEventListener } = globalThis as {
    process?: Partial<NodeLike>;
    addEventListener?: (event: string, listener: (event: EventLike) => void) => void;
  };
  if (process?.on && process.listenerCount) installOnProcess(process as NodeLike, isExpected);
  else
    addEventListener?.("unhandledrejection", (event) => {
      if (isExpected(event.reason)) event.preventDefault();
    });
}

function installOnProcess(process: NodeLike, isExpected: (reason: unknown) => boolean): void {
  process.on("unhandledRejection", (reason) => {
    // Without a listener of the host's own, the process would have thrown it.
    if (!isExpected(reason) && process.listenerCount("unhandledRejection") === 1) throw reason;
  });
}
