import { connect, type Socket } from "node:net";
import { SocketCheck } from "./socket-check.ts";

/** A bare connection, for what no HTTP client would send. */
export class RawSocket {
  readonly socket: Socket;
  readonly #check = new SocketCheck();
  #text = "";
  #ended = false;
  #wake: (() => void)[] = [];

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.setEncoding("latin1");
    this.socket.on("data", (chunk: string) => {
      this.#text += chunk;
      this.#notify();
    });
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.#ended = true;
      this.#notify();
    });
  }

  write(text: string | Uint8Array): this {
    this.#check.onSent(text);
    this.socket.write(text);
    return this;
  }

  /** Everything that has come so far. */
  get text(): string {
    return this.#text;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Settles when what came satisfies the test, or the connection has ended. */
  async until(fits: (text: string) => boolean): Promise<string> {
    while (!this.#ended && !fits(this.#text)) await new Promise<void>((resolve) => this.#wake.push(resolve));
    this.#check.onReceived(this.#text);
    return this.#text;
  }

  /** Everything until the other side has closed. */
  async end(): Promise<string> {
    return this.until(() => false);
  }

  destroy(): void {
    this.socket.destroy();
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** What has come of the body. */
  readonly body: string;
  readonly isWhole: boolean;
}

/** The whole responses in what a server wrote, told apart by their length. */
export function toResponses(text: string): RawResponse[] {
  return readResponses(text).filter(({ isWhole }) => isWhole);
}

/** The responses in what a server wrote; the last one may still be arriving. */
export function readResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest.startsWith("HTTP/1.1 ")) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const [statusLine = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(lines.map(toHeader));
    const { text: body, length } = readBody(rest.slice(end + 4), headers);
    const status = Number(statusLine.split(" ")[1]);
    responses.push({ status, headers, body, isWhole: length !== undefined });
    if (length === undefined) break;
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}

function toHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** What has come of a body, and its length on the wire; without a length when it is not whole. */
function readBody(
  rest: string,
  headers: Record<string, string>,
): { readonly text: string; readonly length?: number } {
  if (headers["transfer-encoding"] !== "chunked") {
    const length = Number(headers["content-length"] ?? 0);
    return rest.length < length ? { text: rest } : { text: rest.slice(0, length), length };
  }
  let text = "";
  for (let at = 0; ; ) {
    const line = rest.indexOf("\r\n", at);
    const size = Number.parseInt(rest.slice(at, line), 16);
    const next = line + 2 + size + 2;
    if (line < 0 || rest.length < next) return { text };
    if (size === 0) return { text, length: next };
    text += rest.slice(line + 2, next - 2);
    at = next;
  }
}

/** A POST as it stands on the wire. */
export function toRequestText(sent: {
  readonly body: object | string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly path?: string;
}): string {
  const body = typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body);
  const given = Object.entries({ host: "localhost", ...sent.headers }).filter(
    ([, value]) => value !== undefined,
  );
  const lines = given.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST ${sent.path ?? "/mcp"} HTTP/1.1\r\n${lines}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
