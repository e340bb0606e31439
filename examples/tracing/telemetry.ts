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

/** Starts the SDK with exporters in this process. */
export function startTelemetry() {
  const spans = new InMemorySpanExporter();
  const tracers = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  tracers.register();
  const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: points })] });
  api.metrics.setGlobalMeterProvider(meters);

  return {
    /** The spans below the one with this name, each with its depth. */
    trace(name: string): (readonly [depth: number, name: string])[] {
      const all = spans.getFinishedSpans();
      const root = all.find((span) => span.name === name);
      return root ? toLines(root, all, 0) : [];
    },
    /** The names of all metrics, in order. */
    async metrics(): Promise<string[]> {
      await meters.forceFlush();
      const scopes = points.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      return scopes.flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor.name)).sort();
    },
    async stop(): Promise<void> {
      await Promise.all([tracers.shutdown(), meters.shutdown()]);
    },
  };
}

function toLines(span: ReadableSpan, all: ReadableSpan[], depth: number): (readonly [number, string])[] {
  const side = span.kind === api.SpanKind.INTERNAL ? "" : `${api.SpanKind[span.kind]} `;
  const isBelow = (each: ReadableSpan) => each.parentSpanContext?.spanId === span.spanContext().spanId;
  const below = all.filter(isBelow).flatMap((child) => toLines(child, all, depth + 1));
  return [[depth, `${side}${span.name}`], ...below];
}
