import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createDevIssuer } from "./auth/dev/dev-issuer.ts";
import type { DevAuthOptions } from "./auth/dev/dev-options.ts";
import { createDevRoutes } from "./auth/dev/dev-routes.ts";
import { type DevTokenOptions, issueToken } from "./auth/dev/issue-token.ts";
import { json } from "./auth/issuer/answer.ts";
import { type NodeListenerOptions, toNodeListener } from "./auth/issuer/node-listener.ts";
import { route } from "./auth/issuer/router.ts";
import { isLoopback, Site } from "./guard/site.ts";
import { UsageError } from "./protocol/errors.ts";

export type { DevAuthOptions, DevClient, DevUser } from "./auth/dev/dev-options.ts";

export type { DevTokenOptions } from "./auth/dev/issue-token.ts";

export interface DevAuth {
  readonly issuer: string;
  readonly port: number;
  /** An access token without a login, for tests. */
  issueToken(options?: DevTokenOptions): Promise<string>;
  /** Signs with a new key from now on; the old one stays in the key set. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts an authorization server for development and tests, on this machine only.
 *
 * It knows no passwords, keeps everything in memory and gives anybody on this machine what
 * they ask for. Nothing of it may ever face a network.
 */
export async function serveDevAuth(options: DevAuthOptions = {}): Promise<DevAuth> {
  const { host = "127.0.0.1", port = 0, path = "", say = console.error } = options;
  assertOptions(host, path);
  const http = createServer();
  await listen(http, port, host);
  const { port: bound } = http.address() as AddressInfo;
  const origin = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${bound}`;
  try {
    const issuer = await createDevIssuer(origin + path, options);
    http.on("request", toNodeListener({ answer: toAnswerer(createDevRoutes(issuer), options), origin }));
    say(`allspeak: development authorization server at ${issuer.url}`);
    say("allspeak: it lets everybody in and forgets everything; never use it for anything that matters.");
    return {
      issuer: issuer.url,
      port: bound,
      issueToken: (token) => issueToken(issuer, token),
      rotateKeys: () => issuer.keys.rotate(),
      close: () => close(http),
    };
  } catch (error) {
    await close(http);
    throw error;
  }
}

function assertOptions(host: string, path: string): void {
  if (!isLoopback(host)) {
    throw new UsageError(
      `The development authorization server lets everybody in, so it can't listen on ${host}; use 127.0.0.1.`,
    );
  }
  if (path !== "" && !/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw new UsageError(`path: ${JSON.stringify(path)} is no path such as /tenant.`);
  }
}

function toAnswerer(
  routes: ReturnType<typeof createDevRoutes>,
  { intercept }: DevAuthOptions,
): NodeListenerOptions["answer"] {
  const site = new Site();
  return async (request) => {
    const host = request.headers.get("host") ?? undefined;
    // Only the name: the routes know which of them other origins may use.
    const refusal = site.refusal({ header: (name) => (name === "host" ? host : undefined) });
    if (refusal !== undefined) return json({ error: "invalid_request", error_description: refusal }, 403);
    const intercepted = await intercept?.(request);
    return intercepted ?? (await route(request, routes)) ?? json({ error: "not_found" }, 404);
  };
}

function listen(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host.replace(/[[\]]/g, ""), () => {
      http.off("error", reject);
      resolve();
    });
  });
}

async function close(http: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeAllConnections();
  await closed;
}
