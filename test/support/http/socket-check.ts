import { ExchangeCheck } from "./exchange-check.ts";
import { type RawResponse, toResponses } from "./raw-socket.ts";

/** More text than this is the flood of a test about backpressure. */
const maxChars = 1_000_000;

interface RawRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * Checks the whole answers on a bare connection against the schema of their revision.
 *
 * Answers are matched with requests by their order. Requests that can't be read are matched with none: their answers
 * are checked as far as they say their revision.
 */
export class SocketCheck {
  #sent = "";
  #answers = 0;

  onSent(bytes: string | Uint8Array): void {
    if (this.#sent.length < maxChars) this.#sent += Buffer.from(bytes as string).toString("latin1");
  }

  /** Takes everything that has come so far, in Latin-1. */
  onReceived(text: string): void {
    if (text.length > maxChars) return;
    const answers = toResponses(text).filter(({ status }) => status !== 100);
    const requests = toRequests(this.#sent);
    for (; this.#answers < answers.length; this.#answers++) {
      const answer = answers[this.#answers];
      if (answer) checkAnswer(requests[this.#answers], answer);
    }
  }

  /** Forgets an exchange that is complete. */
  reset(): void {
    this.#sent = "";
    this.#answers = 0;
  }
}

function checkAnswer(request: RawRequest | undefined, { headers, body }: RawResponse): void {
  const url = new URL(toPath(request?.path), "http://localhost").href;
  const check = new ExchangeCheck(url, request?.headers ?? {}, request?.body);
  check.onHeaders(headers);
  const text = toUtf8(body);
  if (!headers["content-type"]?.startsWith("text/event-stream"))
    return check.onBody(headers["content-type"], text);
  for (const event of text.split("\n\n")) {
    const fields = event.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line)?.slice(1) ?? []);
    check.onEvent(Object.fromEntries(fields.filter(([name]) => name !== undefined)));
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
