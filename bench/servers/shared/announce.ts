import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port of this machine and tells the driver where. */
export function announce(server: Server): void {
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    announceUrl(`http://127.0.0.1:${port}/mcp`);
  });
}

/** Tells the driver where this server listens, and what it holds in memory whenever it is asked. */
export function announceUrl(url: string): void {
  process.on("message", () => {
    globalThis.gc?.();
    process.send?.(process.memoryUsage());
  });
  process.send?.(url);
}
