/** Handlers that many servers never need, loaded together by the first call to one of them. */
export { complete } from "./completion.ts";
export { getPrompt } from "./prompts.ts";
export { readResource } from "./resources.ts";
export { listen } from "./subscriptions.ts";
