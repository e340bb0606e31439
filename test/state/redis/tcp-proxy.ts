import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A way to a server over which bytes stop, or which is cut, when a test says so. */
export class TcpProxy {
  readonly #sockets = new Set<Socket>();
  /** Called with the bytes of the server; those that it holds back never arrive. */
  holdsBack: (answer: string) => boolean = () => false;
  url = "";

  static async start(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy();
    const server = createServer((client) => proxy.#join(client, connect(port, "127.0.0.1")));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address() as { readonly port: number };
    proxy.url = `redis://127.0.0.1:${address.port}`;
    onTestFinished(async () => {
      proxy.cut();
      server.close();
      await once(server, "close");
    });
    return proxy;
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket, server: Socket): void {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(server);
    server.on("data", (answer) => {
      if (!this.holdsBack(String(answer))) client.write(answer);
    });
  }
}
