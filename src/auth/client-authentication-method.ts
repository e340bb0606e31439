/** A `token_endpoint_auth_method` (RFC 7591, section 2). */
export type ClientAuthentication = "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";

export const clientAuthenticationMethods: readonly ClientAuthentication[] = [
  "none",
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
];
