import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import { sha256 } from "../../../lib/encoding/sha256.ts";
import type { ValueStore } from "../../../state/state.ts";
import { clockDifferenceMs } from "../../clock-difference.ts";
import { invalidClientError, invalidRequestError } from "../http/oauth-error.ts";
import type { RequestParameters } from "../http/request-parameters.ts";
import type { RegisteredClient } from "./client-metadata.ts";
import type { ClientStore } from "./client-store.ts";

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** The signature algorithms of client assertions. */
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
  /** The audiences that a client assertion may name. */
  readonly audiences: readonly string[];
}

/** Authenticates the client of a request, by the one method that it registered with. */
export async function authenticateClient(
  request: Request,
  form: RequestParameters,
  options: ClientAuthenticationOptions,
): Promise<RegisteredClient> {
  const presented = readPresentedCredentials(request, form);
  const client = await options.clients.find(presented.id, request);
  if (client.token_endpoint_auth_method !== presented.method) {
    throw invalidClientError(`This client must authenticate by ${client.token_endpoint_auth_method}.`);
  }
  if (presented.method === "private_key_jwt") await assertAssertion(client, presented.proof, options);
  else if (presented.method !== "none") await assertSecret(client, presented.proof);
  return client;
}

interface PresentedCredentials {
  readonly method: RegisteredClient["token_endpoint_auth_method"];
  readonly id: string;
  readonly proof: string;
}

function readPresentedCredentials(request: Request, form: RequestParameters): PresentedCredentials {
  const authorization = request.headers.get("authorization");
  const [assertion, secret] = [form.get("client_assertion"), form.get("client_secret")];
  const count = [authorization, assertion, secret].filter((presented) => presented != null).length;
  if (count > 1)
    throw invalidRequestError("The request holds several client authentications; send only one.");
  const named = form.get("client_id");
  const presented = authorization
    ? fromBasic(authorization)
    : assertion !== undefined
      ? fromAssertion(form, assertion)
      : { method: secret === undefined ? "none" : "client_secret_post", id: named, proof: secret ?? "" };
  if (presented.id === undefined) throw invalidClientError("The request names no client.");
  if (named !== undefined && named !== presented.id)
    throw invalidClientError("The request names two clients.");
  return presented as PresentedCredentials;
}

function fromBasic(authorization: string): PresentedCredentials {
  const [, encoded = ""] = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? [];
  try {
    const [id = "", ...secret] = atob(encoded).split(":").map(decodeFormText);
    if (id !== "") return { method: "client_secret_basic", id, proof: secret.join(":") };
  } catch {
    // Invalid base64 or form encoding: the error below.
  }
  throw invalidClientError("The Authorization header is not Basic with a client id and a secret.");
}

function decodeFormText(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}

function fromAssertion(form: RequestParameters, assertion: string): PresentedCredentials {
  if (form.get("client_assertion_type") !== assertionType) {
    throw invalidClientError(`The client_assertion_type must be ${assertionType}.`);
  }
  try {
    return { method: "private_key_jwt", id: decodeJwt(assertion).sub ?? "", proof: assertion };
  } catch {
    throw invalidClientError("The client assertion is not a JWT.");
  }
}

async function assertSecret(client: RegisteredClient, secret: string): Promise<void> {
  const { client_secret: known, secret_hash: kept } = client;
  const expected = known === undefined ? kept : await sha256(known);
  // Compares hashes, so that the timing reveals nothing about the secret.
  if (expected !== undefined && expected === (await sha256(secret))) return;
  throw invalidClientError("The client secret is wrong.");
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
  if (verified === undefined) throw invalidClientError("The client assertion is not valid.");
  const { jti, exp = 0 } = verified.payload;
  const leftMs = exp * 1000 - Date.now();
  if (leftMs > longestAssertionMs)
    throw invalidClientError("The client assertion is valid for longer than 10 minutes.");
  const key = `assertion:${await sha256(`${client.client_id} ${jti}`)}`;
  if (!(await values.add(key, "", Math.max(leftMs, 0) + clockDifferenceMs))) {
    throw invalidClientError("The client assertion was used before.");
  }
}
