import * as api from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, afterEach } from "vitest";

/** The SDK of OpenTelemetry for the tests of one file, with exporters in memory. */
export function startTelemetry() {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  });
  const meters = new MeterProvider({ readers: [reader] });
  api.metrics.setGlobalMeterProvider(meters);
  afterEach(() => exporter.reset());
  afterAll(async () => {
    await Promise.all([provider.shutdown(), meters.shutdown()]);
    for (const part of [api.trace, api.context, api.propagation, api.metrics]) part.disable();
  });

  /** The spans that have ended, as trees: name, kind, failure and children. */
  const trees = () => toTrees(exporter.getFinishedSpans());
  /** The points of all metrics since the last time. */
  const metrics = async () => {
    metricExporter.reset();
    await reader.forceFlush();
    const scopes = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return scopes.flatMap((scope) => scope.metrics);
  };
  return { api, spans: () => exporter.getFinishedSpans(), trees, metrics };
}

export interface SpanTree {
  readonly span: string;
  readonly error?: unknown;
  readonly children?: readonly SpanTree[];
}

function toTrees(spans: readonly ReadableSpan[], parent?: string): SpanTree[] {
  const known = new Set(spans.map((span) => span.spanContext().spanId));
  const isBelow = ({ parentSpanContext }: ReadableSpan) =>
    parent === undefined
      ? parentSpanContext === undefined || !known.has(parentSpanContext.spanId)
      : parentSpanContext?.spanId === parent;
  return spans.filter(isBelow).map((span) => {
    const children = toTrees(spans, span.spanContext().spanId);
    const error = span.attributes["error.type"];
    return {
      span: `${api.SpanKind[span.kind]} ${span.name}`,
      ...(error !== undefined && { error }),
      ...(children.length > 0 && { children }),
    };
  });
}
