import type { AuthRequest, ClientAuth } from "../../contract/http-auth.ts";
import { assertConfidential } from "../fetch/secure-url.ts";

/** Sends a token that the host has. A function is called for each request, so that the token may change. */
export function staticToken(token: string | (() => string | Promise<string>)): ClientAuth {
  const toHeaders = (value: string) => ({ authorization: `Bearer ${value}` });
  return {
    authorize({ url }: AuthRequest) {
      assertConfidential(url);
      const given = typeof token === "function" ? token() : token;
      return typeof given === "string" ? toHeaders(given) : given.then(toHeaders);
    },
    onResponse: () => "keep",
  };
}
