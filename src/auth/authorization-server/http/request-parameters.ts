import { invalidRequestError, OAuthError } from "./oauth-error.ts";

/** The parameters that may be repeated (RFC 8707, RFC 8693). */
const repeatable: ReadonlySet<string> = new Set(["resource", "audience"]);

const maxBodyBytes = 64 * 1024;
const bodyMs = 10_000;

/** The parameters of a request. An empty one counts as absent (RFC 6749, section 3.1). */
export class RequestParameters {
  readonly #values: URLSearchParams;

  /** Throws OAuthError for a repeated parameter: parsers disagree on which value counts (RFC 6749, section 3.1). */
  constructor(values: URLSearchParams) {
    this.#values = values;
    for (const name of new Set(values.keys())) {
      if (values.getAll(name).length > 1 && !repeatable.has(name)) {
        throw invalidRequestError(
          `The parameter ${JSON.stringify(name.slice(0, 50))} is given more than once.`,
        );
      }
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  all(name: string): readonly string[] {
    return this.#values.getAll(name).filter((value) => value !== "");
  }

  /** The values of a space-separated parameter. */
  list(name: string): readonly string[] {
    return [
      ...new Set(
        this.get(name)
          ?.split(" ")
          .filter((item) => item !== "") ?? [],
      ),
    ];
  }

  require(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw invalidRequestError(`The parameter ${name} is missing.`);
    return value;
  }
}

export async function readForm(request: Request): Promise<RequestParameters> {
  assertContentType(request, "application/x-www-form-urlencoded");
  return new RequestParameters(new URLSearchParams(await readText(request)));
}

export async function readJson(request: Request): Promise<unknown> {
  assertContentType(request, "application/json");
  try {
    return JSON.parse(await readText(request));
  } catch (error) {
    if (error instanceof OAuthError) throw error;
    throw invalidRequestError("The body is not JSON.");
  }
}

function assertContentType(request: Request, expected: string): void {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === expected) return;
  throw new OAuthError("invalid_request", `The body must be ${expected}.`, { status: 415 });
}

async function readText(request: Request): Promise<string> {
  try {
    return await readTextAtMost(request.body, maxBodyBytes, AbortSignal.timeout(bodyMs));
  } catch (error) {
    // Anybody can hang up, which is no failure of this server.
    throw error instanceof OAuthError ? error : invalidRequestError("The body is incomplete.");
  }
}

/** Reads a body as text, within limits of size and time. */
export async function readTextAtMost(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > maxBytes) {
      stop();
      throw new OAuthError("invalid_request", `The body is larger than ${maxBytes} bytes.`, { status: 413 });
    }
    text += decoder.decode(part.value, { stream: true });
  }
  signal.removeEventListener("abort", stop);
  if (signal.aborted) {
    throw new OAuthError("invalid_request", "The body took too long to arrive.", { status: 408 });
  }
  return text + decoder.decode();
}
