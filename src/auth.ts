export type { AuthRequest, ClientAuth } from "./peer/client-auth.ts";
export type { AuthHop } from "./protocol/auth-hop.ts";
