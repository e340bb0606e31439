export type { Offer, Offers } from "./inspector/connections/offered.ts";
export { type Inspector, type InspectorOptions, serveInspector } from "./inspector/serve-inspector.ts";
