import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createDevIssuer } from "./auth/authorization-server/dev/dev-issuer.ts";
import { createDevEndpoints } from "./auth/authorization-server/dev/endpoints.ts";
import { type DevTokenOptions, issueToken } from "./auth/authorization-server/dev/issue-token.ts";
import type { DevAuthOptions } from "./auth/authorization-server/dev/options.ts";
import { type NodeListenerOptions, toNodeListener } from "./auth/authorization-server/http/node-listener.ts";
import { jsonResponse } from "./auth/authorization-server/http/response.ts";
import { routeRequest } from "./auth/authorization-server/http/router.ts";
import { UsageError } from "./errors.ts";
import { HostCheck, isLoopback } from "./guard/host-check.ts";

export type { DevTokenOptions } from "./auth/authorization-server/dev/issue-token.ts";
export type { DevAuthOptions, DevClient, DevUser } from "./auth/authorization-server/dev/options.ts";

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
  const { host = "127.0.0.1", port = 0, path = "", log: say = console.error } = options;
  assertOptions(host, path);
  const http = createServer();
  await listen(http, port, host);
  const { port: bound } = http.address() as AddressInfo;
  const origin = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${bound}`;
  try {
    const issuer = await createDevIssuer(origin + path, options);
    http.on("request", toNodeListener({ answer: toAnswerer(createDevEndpoints(issuer), options), origin }));
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
  routes: ReturnType<typeof createDevEndpoints>,
  { intercept }: DevAuthOptions,
): NodeListenerOptions["answer"] {
  const site = new HostCheck();
  return async (request) => {
    const host = request.headers.get("host") ?? undefined;
    // Only the name: the routes know which of them other origins may use.
    const refusal = site.refusal({ header: (name) => (name === "host" ? host : undefined) });
    if (refusal !== undefined)
      return jsonResponse({ error: "invalid_request", error_description: refusal }, 403);
    const intercepted = await intercept?.(request);
    return intercepted ?? (await routeRequest(request, routes)) ?? jsonResponse({ error: "not_found" }, 404);
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
