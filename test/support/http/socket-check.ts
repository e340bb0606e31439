import { ExchangeCheck } from "./exchange-check.ts";
import { type RawResponse, readResponses } from "./raw-socket.ts";

/** More text than this is the flood of a test about backpressure. */
const maxChars = 1_000_000;

interface RawRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * Checks the answers on a bare connection against the schema of their revision: those that are whole, and the events of
 * a stream that is still open.
 *
 * Answers are matched with requests by their order. Requests that can't be read are matched with none: their answers
 * are checked as far as they say their revision.
 */
export class SocketCheck {
  #sent = "";
  #answers = 0;
  /** The answer that is arriving. */
  #arriving: AnswerCheck | undefined;

  onSent(bytes: string | Uint8Array): void {
    if (this.#sent.length < maxChars) this.#sent += Buffer.from(bytes as string).toString("latin1");
  }

  /** Takes everything that has come so far, in Latin-1. */
  onReceived(text: string): void {
    if (text.length > maxChars) return;
    const answers = readResponses(text).filter(({ status }) => status !== 100);
    const requests = toRequests(this.#sent);
    for (const answer of answers.slice(this.#answers)) {
      this.#arriving ??= new AnswerCheck(requests[this.#answers], answer);
      this.#arriving.onReceived(answer);
      if (!answer.isWhole) return;
      this.#arriving = undefined;
      this.#answers++;
    }
  }

  /** Forgets an exchange that is complete. */
  reset(): void {
    this.#sent = "";
    this.#answers = 0;
  }
}

class AnswerCheck {
  readonly #check: ExchangeCheck;
  #events = 0;

  constructor(request: RawRequest | undefined, { headers }: RawResponse) {
    const url = new URL(toPath(request?.path), "http://localhost").href;
    this.#check = new ExchangeCheck(url, request?.headers ?? {}, request?.body);
    this.#check.onHeaders(headers);
  }

  /** Takes everything that has come of the answer so far. */
  onReceived({ headers, body, isWhole }: RawResponse): void {
    const type = headers["content-type"];
    const text = toUtf8(body);
    if (type?.startsWith("text/event-stream")) this.#onEvents(text);
    else if (isWhole) this.#check.onBody(type, text);
  }

  #onEvents(text: string): void {
    const events = text.split("\n\n").slice(0, -1);
    for (const event of events.slice(this.#events)) {
      const fields = event.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line)?.slice(1) ?? []);
      this.#check.onEvent(Object.fromEntries(fields.filter(([name]) => name !== undefined)));
    }
    this.#events = events.length;
  }
}

/** The path of a request as far as it is one. */
function toPath(path = "/"): string {
  return URL.canParse(path, "http://localhost") ? path : "/";
}

/** The requests at the beginning of what was sent, as far as they can be read. */
function toRequests(sent: string): RawRequest[] {
  const requests: RawRequest[] = [];
  let rest = sent;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    const [first = "", ...lines] = rest.slice(0, Math.max(0, end)).split("\r\n");
    const [, path] = /^[A-Z]+ (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
    if (path === undefined) return requests;
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(":", 1)[0]?.toLowerCase(), line.replace(/^[^:]*: */, "")]),
    ) as Record<string, string>;
    const length = Number(headers["content-length"] ?? 0);
    if (!Number.isInteger(length) || headers["transfer-encoding"] !== undefined) return requests;
    const body = rest.slice(end + 4, end + 4 + length);
    requests.push({ path, headers, body: toUtf8(body) });
    rest = rest.slice(end + 4 + length);
  }
}

function toUtf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
