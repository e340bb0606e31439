import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import { sha256 } from "../../../lib/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import { invalidClientError, invalidRequestError } from "../http/oauth-error.ts";
import type { RequestParameters } from "../http/request-parameters.ts";
import type { RegisteredClient } from "./client-metadata.ts";
import type { ClientStore } from "./client-store.ts";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** How clients may sign their assertions. */
export const assertionAlgorithms: readonly string[] = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "PS256",
  "EdDSA",
  "Ed25519",
];

const longestAssertionMs = 10 * 60 * 1000;

export interface ClientAuthenticationOptions {
  readonly clients: ClientStore;
  readonly values: ValueStore;
  /** What an assertion may name as its audience. */
  readonly audiences: readonly string[];
}

/** The client that makes a request, by the one method that it registered with. */
export async function authenticateClient(
  request: Request,
  form: RequestParameters,
  options: ClientAuthenticationOptions,
): Promise<RegisteredClient> {
  const shown = readShown(request, form);
  const client = await options.clients.find(shown.id);
  if (client.token_endpoint_auth_method !== shown.method) {
    throw invalidClientError(`This client authenticates by ${client.token_endpoint_auth_method}.`);
  }
  if (shown.method === "private_key_jwt") await assertAssertion(client, shown.proof, options);
  else if (shown.method !== "none") await assertSecret(client, shown.proof);
  return client;
}

interface Shown {
  readonly method: RegisteredClient["token_endpoint_auth_method"];
  readonly id: string;
  readonly proof: string;
}

function readShown(request: Request, form: RequestParameters): Shown {
  const authorization = request.headers.get("authorization");
  const [assertion, secret] = [form.get("client_assertion"), form.get("client_secret")];
  const count = [authorization, assertion, secret].filter((shown) => shown != null).length;
  if (count > 1) throw invalidRequestError("A client authenticates in one way, not in several.");
  const named = form.get("client_id");
  const shown = authorization
    ? fromBasic(authorization)
    : assertion !== undefined
      ? fromAssertion(form, assertion)
      : { method: secret === undefined ? "none" : "client_secret_post", id: named, proof: secret ?? "" };
  if (shown.id === undefined) throw invalidClientError("The request names no client.");
  if (named !== undefined && named !== shown.id) throw invalidClientError("The request names two clients.");
  return shown as Shown;
}

function fromBasic(authorization: string): Shown {
  const [, encoded = ""] = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? [];
  try {
    const [id = "", ...secret] = atob(encoded).split(":").map(decodeFormText);
    if (id !== "") return { method: "client_secret_basic", id, proof: secret.join(":") };
  } catch {
    // Neither base64 nor form encoding: told below.
  }
  throw invalidClientError("The Authorization header is not Basic with a client id and a secret.");
}

function decodeFormText(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function fromAssertion(form: RequestParameters, assertion: string): Shown {
  if (form.get("client_assertion_type") !== assertionType) {
    throw invalidClientError(`The client_assertion_type must be ${assertionType}.`);
  }
  try {
    return { method: "private_key_jwt", id: decodeJwt(assertion).sub ?? "", proof: assertion };
  } catch {
    throw invalidClientError("The client assertion is no JWT.");
  }
}

async function assertSecret(client: RegisteredClient, secret: string): Promise<void> {
  const { client_secret: known, secret_hash: kept } = client;
  const expected = known === undefined ? kept : await sha256(known);
  // Of hashes, so that the time it takes tells nothing of the secret.
  if (expected !== undefined && expected === (await sha256(secret))) return;
  throw invalidClientError("The secret of the client is wrong.");
}

async function assertAssertion(
  client: RegisteredClient,
  assertion: string,
  { values, audiences }: ClientAuthenticationOptions,
): Promise<void> {
  const keys = createLocalJWKSet((client.jwks ?? { keys: [] }) as JSONWebKeySet);
  const verified = await jwtVerify(assertion, keys, {
    issuer: client.client_id,
    subject: client.client_id,
    audience: [...audiences],
    algorithms: [...assertionAlgorithms],
    requiredClaims: ["exp", "jti"],
    clockTolerance: 5,
  }).catch(() => undefined);
  if (verified === undefined) throw invalidClientError("The client assertion does not verify.");
  const { jti, exp = 0 } = verified.payload;
  const leftMs = exp * 1000 - Date.now();
  if (leftMs > longestAssertionMs) throw invalidClientError("The client assertion is good for too long.");
  const key = `assertion:${await sha256(`${client.client_id} ${jti}`)}`;
  if (!(await values.add(key, "", Math.max(leftMs, 0) + 10_000))) {
    throw invalidClientError("The client assertion was used before.");
  }
}
