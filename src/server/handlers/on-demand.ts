/** Handlers that many servers never need, loaded together by the first call to one of them. */
export { complete } from "./complete.ts";
export { getPrompt } from "./get-prompt.ts";
export { listen } from "./listen.ts";
export { readResource } from "./read-resource.ts";
