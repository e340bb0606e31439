export type { DevTokenOptions } from "./auth/authorization-server/dev/issue-token.ts";
export type { DevAuthOptions, DevClient, DevUser } from "./auth/authorization-server/dev/options.ts";
export { type DevAuth, serveDevAuth } from "./node/serve/serve-dev-auth.ts";
