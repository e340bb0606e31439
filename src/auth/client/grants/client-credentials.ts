import { clientCredentialsGrantRequest, processClientCredentialsResponse } from "oauth4webapi";
import { type Grant, tokenParameters } from "../grant.ts";

/** Obtains tokens for a program that acts for itself, with the client's own secret or key. Needs `client`. */
export function clientCredentials(): Grant {
  return {
    types: ["client_credentials"],
    wantsRefresh: false,
    async obtain(request) {
      const identity = await request.identify();
      const tokens = await request
        .tokenEndpoint(identity)
        .request("token", {}, async (call) =>
          processClientCredentialsResponse(
            call.server,
            call.client,
            await clientCredentialsGrantRequest(
              call.server,
              call.client,
              call.authentication,
              tokenParameters(request),
              call.options,
            ),
          ),
        );
      return { identity, tokens };
    },
  };
}
