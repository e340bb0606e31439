import type * as OpenTelemetry from "@opentelemetry/api";

/** The part of `@opentelemetry/api` that is used. The package is given by the program, and never imported. */
export type OtelApi = Pick<
  typeof OpenTelemetry,
  "SpanKind" | "SpanStatusCode" | "context" | "createContextKey" | "metrics" | "propagation" | "trace"
>;
