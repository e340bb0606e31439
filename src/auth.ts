export type { AuthHop, AuthRequest, ClientAuth } from "./peer/client-auth.ts";
