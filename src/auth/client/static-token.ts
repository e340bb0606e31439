import type { AuthRequest, ClientAuth } from "../../contract/http-auth.ts";
import { AuthorizationError } from "../../errors.ts";
import { isLoopbackUrl } from "../fetch/address-policy.ts";

/** Shows a token that the host has; a function is asked each time, so that it may change. */
export function staticToken(token: string | (() => string | Promise<string>)): ClientAuth {
  const toHeaders = (value: string) => ({ authorization: `Bearer ${value}` });
  return {
    authorize({ url }: AuthRequest) {
      if (url.protocol !== "https:" && !isLoopbackUrl(url)) {
        throw new AuthorizationError(
          `A token is not sent to ${url.origin}, which is not encrypted; use https.`,
          "unsafe-address",
        );
      }
      const given = typeof token === "function" ? token() : token;
      return typeof given === "string" ? toHeaders(given) : given.then(toHeaders);
    },
    onResponse: () => "keep",
  };
}
