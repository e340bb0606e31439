export { type Bridge, openBridge } from "./bridge/open-bridge.ts";
export type { BridgeOptions, UpstreamOptions } from "./bridge/options.ts";
export type { Isolation } from "./contract/caller/isolation.ts";
