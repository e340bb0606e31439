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
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { afterAll, afterEach } from "vitest";
import { Queue } from "../support/queue.ts";

/** The SDK of OpenTelemetry for the tests of one file, with exporters in memory. */
export function startTelemetry() {
  const exporter = new InMemorySpanExporter();
  const endings = new Queues();
  const provider = new NodeTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter), toProcessor((span) => endings.push(nameOf(span)))],
  });
  provider.register();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 3_600_000,
  });
  const meters = new MeterProvider({ readers: [reader] });
  api.metrics.setGlobalMeterProvider(meters);
  const recordings = new Queues();
  afterEach(() => {
    exporter.reset();
    endings.clear();
    recordings.clear();
  });
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
  const getMeter = (name: string) =>
    tapMeter(api.metrics.getMeter(name), (metric) => recordings.push(metric));
  return {
    api: { ...api, metrics: Object.assign(Object.create(api.metrics), { getMeter }) as typeof api.metrics },
    /** Settles with the next span of this kind and name that ends, or has ended and was not waited for. */
    ended: (span: string) => endings.next(span),
    /** Settles with the next value of this metric. */
    recorded: (metric: string) => recordings.next(metric),
    spans: () => exporter.getFinishedSpans(),
    trees,
    metrics,
  };
}

class Queues {
  readonly #queues = new Map<string, Queue<string>>();

  push(name: string): void {
    this.#of(name).push(name);
  }

  next(name: string): Promise<string> {
    return this.#of(name).next();
  }

  clear(): void {
    this.#queues.clear();
  }

  #of(name: string): Queue<string> {
    const queue = this.#queues.get(name) ?? new Queue<string>();
    this.#queues.set(name, queue);
    return queue;
  }
}

function nameOf({ kind, name }: Pick<ReadableSpan, "kind" | "name">): string {
  return `${api.SpanKind[kind]} ${name}`;
}

function toProcessor(onEnd: (span: ReadableSpan) => void): SpanProcessor {
  return { onStart: () => {}, onEnd, forceFlush: async () => {}, shutdown: async () => {} };
}

/** The meter, which also calls `onRecord` with the name of each histogram that gets a value. */
function tapMeter(meter: api.Meter, onRecord: (metric: string) => void): api.Meter {
  const createHistogram: api.Meter["createHistogram"] = (name, options) => {
    const histogram = meter.createHistogram(name, options);
    return {
      record: (...given) => {
        histogram.record(...given);
        onRecord(name);
      },
    };
  };
  return Object.assign(Object.create(meter), { createHistogram });
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
      span: nameOf(span),
      ...(error !== undefined && { error }),
      ...(children.length > 0 && { children }),
    };
  });
}
