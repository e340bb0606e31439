import * as api from "@opentelemetry/api";
import { createServer, tool } from "allspeak";
import { otel } from "allspeak/otel";
import { z } from "zod";

const tracer = api.trace.getTracer("weather");

const forecast = tool(
  "forecast",
  { description: "Forecasts the weather", input: z.object({ city: z.string() }) },
  ({ city }) =>
    // A span of the author is a child of the span of the call.
    tracer.startActiveSpan("read the station", (span) => {
      span.setAttribute("weather.city", city);
      span.end();
      return `Rain in ${city}.`;
    }),
);

/** A server whose calls are traced. */
export const server = createServer({
  name: "weather",
  version: "1.0.0",
  tools: [forecast],
  telemetry: otel(api),
});
