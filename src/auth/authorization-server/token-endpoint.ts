import { authenticateClient, type ClientAuthenticationOptions } from "./clients/client-authentication.ts";
import type { RegisteredClient } from "./clients/client-metadata.ts";
import { OAuthError } from "./http/oauth-error.ts";
import { type RequestParameters, readForm } from "./http/request-parameters.ts";
import { jsonResponse } from "./http/response.ts";
import { type DpopProofOptions, verifyDpopProof } from "./tokens/dpop-proof.ts";
import type { TokenResponse } from "./tokens/token-issuer.ts";

/** A token request of an authenticated client. */
export interface TokenRequest {
  readonly client: RegisteredClient;
  readonly form: RequestParameters;
  /** The thumbprint of the key that the client proved to hold. */
  readonly thumbprint: string | undefined;
}

export type GrantHandler = (request: TokenRequest) => Promise<TokenResponse>;

export interface TokenEndpointOptions extends ClientAuthenticationOptions {
  readonly proof: DpopProofOptions;
  /** The handlers by grant type. */
  readonly handlers: ReadonlyMap<string, GrantHandler>;
}

export async function answerTokenRequest(request: Request, options: TokenEndpointOptions): Promise<Response> {
  const form = await readForm(request);
  const type = form.require("grant_type");
  const handler = options.handlers.get(type);
  if (handler === undefined) {
    throw new OAuthError(
      "unsupported_grant_type",
      `The grant type ${JSON.stringify(type)} is not supported.`,
    );
  }
  const client = await authenticateClient(request, form, options);
  if (!client.grant_types.includes(type)) {
    throw new OAuthError("unauthorized_client", `This client did not register the grant type ${type}.`);
  }
  const thumbprint = await verifyDpopProof(request, options.proof);
  return jsonResponse(await handler({ client, form, thumbprint }), 200, { pragma: "no-cache" });
}
