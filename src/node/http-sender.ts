import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import type { AgentOptions } from "node:https";
import type { Readable, Transform } from "node:stream";
import type { HeaderRecord } from "../contract/channel.ts";
import { HttpError } from "../errors.ts";
import { showUrl } from "../lib/text/show-url.ts";
import {
  mediaTypeOf,
  type ReceivedResponse,
  type SendRequest,
  type SentHttpRequest,
} from "../transports/http/client/http-exchange.ts";
import { toCallLost } from "../transports/http/client/network-failure.ts";

/**
 * An idle connection is given up before most servers do so, after five seconds: a request that meets the end of its
 * connection is lost.
 */
const agentOptions: AgentOptions = { keepAlive: true, timeout: 4_000 };

/** The rest of a body that nobody wants is read within these bounds, since that keeps its connection. */
const lingerMs = 1_000;
const lingerBytes = 65_536;

/** The parser takes any three digits; the web's `Response` takes these. */
const minStatus = 200;
const maxStatus = 599;

const encodings = ["gzip", "x-gzip", "deflate", "br"];
const ownHeaders = [
  ["user-agent", "node"],
  ["accept-encoding", "gzip, deflate, br"],
] as const;

let httpAgent: Agent | undefined;
let httpsSender: Promise<SendRequest> | undefined;

/** Makes requests by `node:http`, at a fraction of what `fetch` costs. Connections are shared by the whole process. */
export async function openHttpSender({ protocol }: URL): Promise<SendRequest> {
  if (protocol === "https:") {
    httpsSender ??= import("node:https").then((https) =>
      createSender(https.request, new https.Agent(agentOptions)),
    );
    return httpsSender;
  }
  httpAgent ??= new Agent(agentOptions);
  return createSender(requestHttp, httpAgent);
}

function createSender(open: typeof requestHttp, agent: Agent): SendRequest {
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const { host, hostname, port, path } = toAddress(url);
      const options = { agent, method, hostname, port, path, headers: toList(host, headers, body) };
      let request: ClientRequest;
      try {
        request = open(options);
      } catch (error) {
        // Loaded on demand: it explains a mistake.
        const explained = import("../transports/http/client/header-error.ts");
        return void explained.then(({ toHeaderError }) => reject(toHeaderError(headers, error)), reject);
      }
      const onAbort = () => request.destroy();
      const onLost = (error: Error) => reject(signal.aborted ? signal.reason : toCallLost(url, error));
      signal.addEventListener("abort", onAbort, { once: true });
      let isAnswered = false;
      request.on("response", (message) => {
        isAnswered = true;
        const { statusCode: status = 0 } = message;
        if (status >= minStatus && status <= maxStatus)
          return resolve(new NodeResponse(message, url, signal));
        message.destroy();
        reject(
          new HttpError(`${showUrl(url)} answered with ${status}, which is not an HTTP status.`, { status }),
        );
      });
      request.on("error", onLost);
      request.on("close", () => {
        signal.removeEventListener("abort", onAbort);
        if (!isAnswered) onLost(new Error("The connection was closed."));
      });
      request.end(body);
    });
}

/** Names and values in turn, which `node:http` writes as they are: a record of them it would copy, one by one. */
function toList(host: string, headers: HeaderRecord, body: string | undefined): readonly string[] {
  const list: string[] = [];
  if (headers.host === undefined) list.push("host", host);
  for (const [name, value] of ownHeaders) if (headers[name] === undefined) list.push(name, value);
  for (const name in headers) if (name !== "content-length") list.push(name, headers[name] ?? "");
  if (body !== undefined) list.push("content-length", String(Buffer.byteLength(body)));
  return list;
}

interface Address {
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
}

const addresses = new WeakMap<URL, Address>();

/** Remembered, since a connection uses one URL for all of its requests. */
function toAddress(url: URL): Address {
  const known = addresses.get(url);
  if (known) return known;
  const { host, hostname, port, pathname, search } = url;
  const address = { host, hostname: hostname.replace(/^\[|\]$/g, ""), port, path: pathname + search };
  addresses.set(url, address);
  return address;
}

class NodeResponse implements ReceivedResponse {
  readonly hidesTarget = false;
  readonly #message: IncomingMessage;
  readonly #url: URL;
  readonly #signal: SentHttpRequest["signal"];
  #decoder: Transform | undefined;
  #isDiscarded = false;
  #onDiscard: () => void = () => {};

  constructor(message: IncomingMessage, url: URL, signal: SentHttpRequest["signal"]) {
    this.#message = message;
    this.#url = url;
    this.#signal = signal;
    // `readBody` rejects for the one who waits.
    message.on("error", () => {});
  }

  get status(): number {
    return this.#message.statusCode ?? 0;
  }

  get statusText(): string {
    return this.#message.statusMessage ?? "";
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  readBody(onPiece: (piece: Uint8Array) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onDiscard = resolve;
      const onLost = (error: Error) => {
        reject(this.#signal.aborted ? this.#signal.reason : toCallLost(this.#url, error));
        this.#stop();
      };
      const onData = (piece: Uint8Array) => {
        try {
          if (!this.#isDiscarded) onPiece(piece);
        } catch (error) {
          reject(error);
          this.#stop();
        }
      };
      const read = (body: Readable) =>
        body
          .on("data", onData)
          .on("end", resolve)
          .on("error", onLost)
          .on("close", () => {
            if (!body.readableEnded) onLost(new Error("The body broke off."));
          });
      const encoding = this.header("content-encoding")?.trim().toLowerCase();
      if (encoding === undefined || !encodings.includes(encoding)) read(this.#message);
      else this.#decode(encoding).then(read, reject);
    });
  }

  discardBody(): void {
    const message = this.#message;
    if (this.#isDiscarded) return;
    this.#isDiscarded = true;
    this.#onDiscard();
    this.#decoder?.destroy();
    if (message.destroyed) return;
    // A stream of events may never end.
    if (mediaTypeOf(this) === "text/event-stream") return void message.destroy();
    let bytes = 0;
    const late = setTimeout(() => message.destroy(), lingerMs);
    message.on("data", (piece: Uint8Array) => {
      bytes += piece.length;
      if (bytes > lingerBytes) message.destroy();
    });
    message.on("close", () => clearTimeout(late));
  }

  toHead(): Response {
    const { rawHeaders } = this.#message;
    const headers = new Headers();
    for (let at = 0; at + 1 < rawHeaders.length; at += 2)
      headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
    const statusText = this.statusText.replace(/[^\t\x20-\x7e\x80-\xff]/g, "");
    return new Response(null, { status: this.status, statusText, headers });
  }

  /** Ends both: a decoder outlives its input, of which a few bytes may hold gigabytes. */
  #stop(): void {
    this.#isDiscarded = true;
    this.#message.destroy();
    this.#decoder?.destroy();
  }

  /** The body without its compression. */
  async #decode(encoding: string): Promise<Readable> {
    const { createBrotliDecompress, createUnzip, constants } = await import("node:zlib");
    const decoder =
      encoding === "br"
        ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
        : createUnzip({ flush: constants.Z_SYNC_FLUSH });
    if (this.#isDiscarded) decoder.destroy();
    this.#decoder = decoder;
    this.#message.on("close", () => {
      if (!this.#message.complete) decoder.destroy();
    });
    return this.#message.pipe(decoder);
  }
}
