import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Login, OpenLogin } from "../../auth/client/login.ts";
import { AuthorizationError } from "../../errors.ts";
import { openBrowser } from "./open-browser.ts";

export interface LoopbackLoginOptions {
  /** Shows the URL to the user. Default: opens a browser, or writes to stderr where there is none. */
  readonly open?: ((url: URL) => unknown) | undefined;
  /**
   * Asks the user for the URL that they were redirected to, or for the code in it.
   *
   * For machines without a browser: the redirect to this machine fails in the browser of another one,
   * and the user copies the URL from its address bar.
   */
  readonly paste?: ((url: URL, signal: AbortSignal) => Promise<string>) | undefined;
  /** The port of the redirect URI. Default: the one that the client is registered with, or a free one. */
  readonly port?: number | undefined;
  /** The HTML page that the user sees at the end. */
  readonly page?: string | undefined;
}

const path = "/callback";
const defaultPage = "<!doctype html><title>Done</title><p>You can close this window.</p>";

/**
 * Lets users log in with a browser on this machine; receives the redirect on loopback.
 *
 * RFC 8252, section 7.3
 */
export function loopbackLogin(options: LoopbackLoginOptions = {}): OpenLogin {
  return async ({ redirectUris }) => {
    const server = createServer();
    const ports = [options.port, ...redirectUris.map(loopbackPort), 0].filter((port) => port !== undefined);
    const port = await listen(server, options.port === undefined ? ports : [options.port]);
    return new LoopbackLogin(server, `http://127.0.0.1:${port}${path}`, options);
  };
}

class LoopbackLogin implements Login {
  readonly redirectUri: string;
  readonly #server: Server;
  readonly #options: LoopbackLoginOptions;

  constructor(server: Server, redirectUri: string, options: LoopbackLoginOptions) {
    this.#server = server;
    this.redirectUri = redirectUri;
    this.#options = options;
  }

  async authorize(url: URL, signal: AbortSignal): Promise<URL> {
    const { open = openOrShow, paste } = this.#options;
    const state = url.searchParams.get("state");
    const done = new AbortController();
    const stop = AbortSignal.any([signal, done.signal]);
    const redirect = this.#callback(state, stop);
    const show = async (): Promise<URL> => {
      await open(url);
      return paste ? this.#toUrl(await paste(url, stop), state) : redirect;
    };
    try {
      // `open` may take as long as the window is open.
      return await Promise.race([redirect, show()]);
    } finally {
      done.abort();
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The first redirect that carries the state of this login: other programs on this machine could send requests as well. */
  #callback(state: string | null, stop: AbortSignal): Promise<URL> {
    return new Promise((resolve, reject) => {
      const onRequest = (request: IncomingMessage, response: ServerResponse) => {
        const back = this.#read(request, state);
        answer(response, back ? 200 : 404, back ? (this.#options.page ?? defaultPage) : "");
        if (back) resolve(back);
      };
      this.#server.on("request", onRequest);
      stop.addEventListener(
        "abort",
        () => {
          this.#server.off("request", onRequest);
          reject(
            new AuthorizationError(
              "The user did not log in: the login was cancelled, or took too long.",
              "login",
            ),
          );
        },
        { once: true },
      );
    });
  }

  #read({ method, url = "" }: IncomingMessage, state: string | null): URL | undefined {
    if (method !== "GET" || !url.startsWith(`${path}?`)) return undefined;
    const back = new URL(this.redirectUri + url.slice(path.length));
    return back.searchParams.get("state") === state ? back : undefined;
  }

  /** Reads what the user pasted: the whole URL, or only the code. */
  #toUrl(text: string, state: string | null): URL {
    const given = text.trim();
    if (URL.canParse(given) && /^https?:/i.test(given)) return new URL(given);
    const url = new URL(this.redirectUri);
    url.searchParams.set("code", given);
    if (state !== null) url.searchParams.set("state", state);
    return url;
  }
}

function answer(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(page);
}

async function openOrShow(url: URL): Promise<void> {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const hasScreen = process.platform !== "linux" || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined;
  if (hasScreen && (await openBrowser(url))) return;
  console.error(`Open this URL to log in:\n\n  ${url.href}\n`);
}

function loopbackPort(redirectUri: string): number | undefined {
  const found = /^http:\/\/127\.0\.0\.1:(\d{1,5})\/callback$/.exec(redirectUri);
  return found ? Number(found[1]) : undefined;
}

/** Listens on the first port that is free. */
async function listen(server: Server, ports: readonly number[]): Promise<number> {
  let failure: unknown;
  for (const port of ports) {
    try {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (error) {
      failure = error;
    }
  }
  throw new AuthorizationError("No port is free for the redirect of the login.", "login", {
    cause: failure,
  });
}
