export type { GatewayAuditEntry } from "./gateway/audit.ts";
export { type Gateway, openGateway } from "./gateway/open-gateway.ts";
export type { GatewayConsentRequest, GatewayOptions } from "./gateway/options.ts";
