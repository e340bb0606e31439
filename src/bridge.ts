export { type Bridge, openBridge } from "./bridge/open-bridge.ts";
export type { BridgeConnectOptions, BridgeOptions } from "./bridge/options.ts";
export type { Isolation } from "./contract/caller/isolation.ts";
