import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Passes each request on to the next node, as a load balancer without sticky sessions does. */
export async function serveBalancer(nodes: readonly string[]): Promise<{ url: string; close(): void }> {
  let next = 0;
  const server = createServer((from, to) => {
    const { hostname, port } = new URL(nodes[next++ % nodes.length] ?? "");
    const onward = request({ hostname, port, path: from.url, method: from.method, headers: from.headers });
    onward.on("response", (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      to.flushHeaders();
      answer.pipe(to);
    });
    onward.on("error", () => to.destroy());
    to.on("close", () => onward.destroy());
    from.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close };
}
