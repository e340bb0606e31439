export type { Telemetry } from "./contract/telemetry.ts";
export { type OtelApi, type OtelOptions, otel } from "./otel/otel.ts";
