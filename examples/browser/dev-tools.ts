import { once } from "node:events";
import { WebSocket } from "ws";

type Values = Readonly<Record<string, unknown>>;

/** The protocol by which programs drive Chromium: https://chromedevtools.github.io/devtools-protocol */
export class DevTools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number | string, (values: Values) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const { id, method, result = {}, params = {} } = JSON.parse(String(data));
      this.#waiting.get(id ?? method)?.(id === undefined ? params : result);
      this.#waiting.delete(id ?? method);
    });
  }

  /** Connects to the first page of a browser. */
  static async open(browser: string): Promise<DevTools> {
    const response = await fetch(`http://${new URL(browser).host}/json`);
    const targets = (await response.json()) as { type: string; webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(targets.find(({ type }) => type === "page")?.webSocketDebuggerUrl ?? "");
    await once(socket, "open");
    return new DevTools(socket);
  }

  send(method: string, params: Values): Promise<Values> {
    const id = ++this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** The next event of a name. */
  event(name: string): Promise<Values> {
    return new Promise((resolve) => this.#waiting.set(name, resolve));
  }

  close(): void {
    this.#socket.close();
  }
}
