import { json } from "./answer.ts";
import { type AuthenticationOptions, authenticateClient } from "./client-authentication.ts";
import type { RegisteredClient } from "./client-metadata.ts";
import { type ProofOptions, readProof } from "./dpop-proof.ts";
import type { TokenAnswer } from "./minter.ts";
import { type Parameters, readForm } from "./parameters.ts";
import { Refusal } from "./refusal.ts";

/** A request for tokens whose client is who it says. */
export interface TokenRequest {
  readonly client: RegisteredClient;
  readonly form: Parameters;
  /** Of the key that the client proved to hold. */
  readonly thumbprint: string | undefined;
}

export type GrantHandler = (request: TokenRequest) => Promise<TokenAnswer>;

export interface TokenEndpointOptions extends AuthenticationOptions {
  readonly proof: ProofOptions;
  /** By grant type. */
  readonly handlers: ReadonlyMap<string, GrantHandler>;
}

export async function answerTokenRequest(request: Request, options: TokenEndpointOptions): Promise<Response> {
  const form = await readForm(request);
  const type = form.require("grant_type");
  const handler = options.handlers.get(type);
  if (handler === undefined) {
    throw new Refusal("unsupported_grant_type", `The grant type ${JSON.stringify(type)} is not supported.`);
  }
  const client = await authenticateClient(request, form, options);
  if (!client.grant_types.includes(type)) {
    throw new Refusal("unauthorized_client", `This client did not register the grant type ${type}.`);
  }
  const thumbprint = await readProof(request, options.proof);
  return json(await handler({ client, form, thumbprint }), 200, { pragma: "no-cache" });
}
