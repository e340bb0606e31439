export { type Bridge, openBridge } from "./bridge/open-bridge.ts";
export type { BridgeOptions, Isolation, UpstreamOptions } from "./bridge/options.ts";
