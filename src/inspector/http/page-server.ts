import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { quote } from "../../guard/allow-list.ts";
import { HostCheck } from "../../guard/host-check.ts";
import { showAddress } from "../../transports/socket/address.ts";
import { toListenError } from "../../transports/socket/listen-error.ts";
import { type PageFile, readPageFiles } from "./page-files.ts";
import { PageSocket, type PageSocketParts } from "./page-socket.ts";
import { securityHeaders } from "./security-headers.ts";

export interface PageServerOptions extends PageSocketParts {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string | undefined;
}

const socketPath = "/socket";
const maxPages = 32;
/** A recording that is loaded is one message. */
const maxMessageBytes = 32 * 1024 * 1024;

/** The HTTP side of the inspector: the files of the page, and its WebSocket. */
export class PageServer {
  readonly #options: PageServerOptions;
  readonly #check: HostCheck;
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: true,
  });
  readonly #files: ReadonlyMap<string, PageFile>;

  private constructor(options: PageServerOptions) {
    this.#options = options;
    this.#files = readPageFiles(options.folder);
    this.#check = new HostCheck(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl });
    this.#http = createServer({ headersTimeout: 10_000, requestTimeout: 10_000, requireHostHeader: false });
    this.#http.maxConnections = 200;
    this.#http.on("request", (request, response) => this.#answer(request, response));
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  static async open(options: PageServerOptions): Promise<PageServer> {
    const server = new PageServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#http.once("error", reject);
      server.#http.listen(options.port, options.host, () => {
        server.#http.off("error", reject);
        resolve();
      });
    }).catch((error: unknown) => {
      throw toListenError(error, showAddress(options));
    });
    return server;
  }

  /** The address of the page, without a token. */
  get url(): string {
    const { host } = this.#options;
    const { port } = this.#http.address() as AddressInfo;
    return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) return send(response, 403, { "content-type": "text/plain" }, refusal);
    const headers = securityHeaders(request.headers.host ?? "");
    if (request.method !== "GET" && request.method !== "HEAD")
      return send(response, 405, { ...headers, allow: "GET, HEAD" }, "");
    const [path = ""] = (request.url ?? "").split("?", 1);
    const file = this.#files.get(path);
    if (file === undefined)
      return send(response, 404, { ...headers, "content-type": "text/plain" }, "Not here.");
    send(
      response,
      200,
      { ...headers, "content-type": file.type },
      request.method === "HEAD" ? "" : file.bytes,
    );
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Only browsers send an origin, and only a page may open this socket.
    const refusal =
      this.#refusalOf(request) ?? (request.headers.origin === undefined ? "Origin is missing." : undefined);
    if (refusal !== undefined) return refuse(socket, "403 Forbidden", refusal);
    if (request.url !== socketPath) return refuse(socket, "404 Not Found", "Not here.");
    if (this.#sockets.clients.size >= maxPages)
      return refuse(socket, "503 Service Unavailable", "Too many pages are open.");
    this.#sockets.handleUpgrade(
      request,
      socket,
      head,
      (opened) => void new PageSocket(opened, socket, this.#options),
    );
  }

  /** The reason to refuse a request, in words for whoever opened the page. */
  #refusalOf({ headers }: IncomingMessage): string | undefined {
    const request = { header: (name: string) => headers[name]?.toString() };
    if (this.#check.hostRefusal(request) !== undefined) {
      const { publicUrl } = this.#options;
      const known =
        publicUrl === undefined ? "localhost or 127.0.0.1" : `localhost, 127.0.0.1 or ${publicUrl}`;
      return `Host ${quote(headers.host)} is not allowed. Open this page by the address that was shown at its start, as ${known}. From another machine, forward its port: ssh -L PORT:127.0.0.1:PORT`;
    }
    if (this.#check.originRefusal(request) !== undefined)
      return "Pages of other sites may not use this one. Open it in a tab of its own, by the address that was shown at its start.";
    return undefined;
  }
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): void {
  response.writeHead(status, headers);
  response.end(body);
}

function refuse(socket: Duplex, status: string, reason: string): void {
  socket.on("error", () => {});
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(reason)}\r\nconnection: close\r\n\r\n${reason}`,
  );
}
