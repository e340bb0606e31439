import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createDevIssuer } from "../../auth/authorization-server/dev/dev-issuer.ts";
import { createDevEndpoints } from "../../auth/authorization-server/dev/endpoints.ts";
import { type DevTokenOptions, issueToken } from "../../auth/authorization-server/dev/issue-token.ts";
import { type DevAuthOptions, devAuthOptionKinds } from "../../auth/authorization-server/dev/options.ts";
import {
  type NodeListenerOptions,
  toNodeListener,
} from "../../auth/authorization-server/http/node-listener.ts";
import { jsonResponse } from "../../auth/authorization-server/http/response.ts";
import { routeRequest } from "../../auth/authorization-server/http/router.ts";
import { assertOptions } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";
import { HostCheck } from "../../guard/host-check.ts";
import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";

/** A running development authorization server. */
export interface DevAuth {
  readonly issuer: string;
  readonly port: number;
  /** Issues an access token without a login, for tests. */
  issueToken(options?: DevTokenOptions): Promise<string>;
  /** Signs with a new key from now on; the old key stays in the key set. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts an authorization server for development and tests, on this machine only.
 *
 * It checks no passwords, keeps everything in memory and grants every request of this machine.
 * Never expose it to a network.
 */
export async function serveDevAuth(options: DevAuthOptions = {}): Promise<DevAuth> {
  assertOptions("serveDevAuth", options, devAuthOptionKinds);
  const { host = "127.0.0.1", port = 0, path = "", log = console.error } = options;
  assertAddress(host, path);
  const http = createServer();
  await startListening(http, port, host);
  const { port: bound } = http.address() as AddressInfo;
  const origin = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${bound}`;
  try {
    const issuer = await createDevIssuer(origin + path, options);
    const answer = toRequestHandler(createDevEndpoints(issuer), options);
    http.on("request", toNodeListener({ answer, origin }));
    log(`allspeak: development authorization server at ${issuer.url}`);
    log("allspeak: it lets anybody in and keeps everything in memory; never use it in production.");
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

function assertAddress(host: string, path: string): void {
  if (!isCanonicalLoopbackHost(host)) {
    throw new UsageError(
      `The development authorization server lets anybody in, so it can't listen on ${host}; use 127.0.0.1.`,
    );
  }
  if (path !== "" && !/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw new UsageError(`path: ${JSON.stringify(path)} is not a path such as /tenant.`);
  }
}

function toRequestHandler(
  endpoints: ReturnType<typeof createDevEndpoints>,
  { intercept }: DevAuthOptions,
): NodeListenerOptions["answer"] {
  const hostCheck = new HostCheck();
  return async (request) => {
    const host = request.headers.get("host") ?? undefined;
    // Checks the host only: each endpoint declares whether other origins may use it.
    const refusal = hostCheck.refusal({ header: (name) => (name === "host" ? host : undefined) });
    if (refusal !== undefined)
      return jsonResponse({ error: "invalid_request", error_description: refusal }, 403);
    const intercepted = await intercept?.(request);
    return (
      intercepted ?? (await routeRequest(request, endpoints)) ?? jsonResponse({ error: "not_found" }, 404)
    );
  };
}

function startListening(http: Server, port: number, host: string): Promise<void> {
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
