import { setTimeout } from "node:timers/promises";
import { audio, embed, image, ToolError, text, tool } from "allspeak";
import { png, wav } from "./media.ts";

const simpleText = tool(
  "test_simple_text",
  { description: "Answers with a line of text" },
  () => "This is a simple text response for testing.",
);

const imageContent = tool("test_image_content", { description: "Answers with an image" }, () =>
  image(png, "image/png"),
);

const audioContent = tool("test_audio_content", { description: "Answers with a sound" }, () =>
  audio(wav, "audio/wav"),
);

const embeddedResource = tool(
  "test_embedded_resource",
  { description: "Answers with a resource and its contents" },
  () =>
    embed({
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content.",
    }),
);

const multipleContentTypes = tool(
  "test_multiple_content_types",
  { description: "Answers with text, an image and a resource" },
  () => [
    text("Multiple content types test:"),
    image(png, "image/png"),
    embed({
      uri: "test://mixed-content-resource",
      mimeType: "application/json",
      text: JSON.stringify({ test: "data", value: 123 }),
    }),
  ],
);

const errorHandling = tool("test_error_handling", { description: "Fails, and says why" }, () => {
  throw new ToolError("This tool intentionally returns an error for testing");
});

const withProgress = tool(
  "test_tool_with_progress",
  { description: "Reports progress in three steps" },
  async (_, ctx) => {
    await ctx.progress(0, 100);
    await setTimeout(50, undefined, { signal: ctx.signal });
    await ctx.progress(50, 100);
    await setTimeout(50, undefined, { signal: ctx.signal });
    await ctx.progress(100, 100);
    return `Progress was reported to ${String(ctx.meta.progressToken ?? "nobody")}.`;
  },
);

const withLogging = tool(
  "test_tool_with_logging",
  { description: "Sends log messages while it works" },
  async (_, ctx) => {
    await ctx.log("info", "Tool execution started");
    await setTimeout(50, undefined, { signal: ctx.signal });
    await ctx.log("info", "Tool processing data");
    await setTimeout(50, undefined, { signal: ctx.signal });
    await ctx.log("info", "Tool execution completed");
    return "Three messages were logged.";
  },
);

const logging = tool(
  "test_logging_tool",
  { description: "Sends a log message, which only arrives where one was asked for" },
  async (_, ctx) => {
    await ctx.log("info", "A message for this call");
    return "One message was logged.";
  },
);

const reconnection = tool(
  "test_reconnection",
  { description: "Lets go of the connection while it works; the client comes back for the answer" },
  async (_, ctx) => {
    ctx.disconnect();
    await setTimeout(100, undefined, { signal: ctx.signal });
    return "The answer arrived after a while.";
  },
);

/** Needs nothing but a call. */
export const plainTools = [
  simpleText,
  imageContent,
  audioContent,
  embeddedResource,
  multipleContentTypes,
  errorHandling,
  withProgress,
  withLogging,
  logging,
  reconnection,
] as const;
