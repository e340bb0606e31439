import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import {
  allowInsecureRequests,
  ClientSecretBasic,
  clientCredentialsGrantRequest,
  type DPoPHandle,
  processClientCredentialsResponse,
} from "oauth4webapi";

/** An authorization server in a process of its own. */
export interface OidcProvider {
  readonly issuer: string;
  /** A token of a client that acts for itself: `alice`, `bob`, or `opaque-alice`. */
  token(client: string, resource: string, more?: TokenWish): Promise<string>;
  close(): Promise<void>;
}

interface TokenWish {
  readonly scope?: string;
  readonly dpop?: DPoPHandle;
}

/** One that nobody here wrote. */
export function startOidcProvider(): Promise<OidcProvider> {
  return start("oidc-provider.mjs");
}

/** Our own, for development. */
export function startDevIssuer(): Promise<OidcProvider> {
  return start("dev-issuer.mjs");
}

async function start(program: string): Promise<OidcProvider> {
  const path = fileURLToPath(new URL(`./fixtures/${program}`, import.meta.url));
  const child = fork(path, { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const exited = once(child, "exit");
  const [issuer] = (await Promise.race([once(child, "message"), exited])) as [string];
  if (typeof issuer !== "string") throw new Error(`${program} did not start.`);
  const server = { issuer, token_endpoint: `${issuer}/token` };
  return {
    issuer,
    async token(client, resource, { scope, dpop } = {}) {
      const parameters = { resource, ...(scope && { scope }) };
      const options = { [allowInsecureRequests]: true, ...(dpop && { DPoP: dpop }) };
      const auth = ClientSecretBasic(`${client}-secret`);
      const response = await clientCredentialsGrantRequest(
        server,
        { client_id: client },
        auth,
        parameters,
        options,
      );
      return (await processClientCredentialsResponse(server, { client_id: client }, response)).access_token;
    },
    async close() {
      child.disconnect();
      await exited;
    },
  };
}
