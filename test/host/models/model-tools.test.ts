import { asSchema } from "ai";
import { audio, createServer, embed, image, link, ToolError, text } from "allspeak";
import {
  type HostResult,
  type ModelTool,
  openHost,
  toAiSdkTools,
  toAnthropicResult,
  toAnthropicTools,
  toGeminiParts,
  toGeminiTools,
  toOpenAIChatMessages,
  toOpenAIChatTools,
  toOpenAIResponsesResult,
  toOpenAIResponsesTools,
} from "allspeak/host";
import { beforeAll, describe, expect, test } from "vitest";

const png = "iVBORw0KGgo=";
const pdf = "JVBERi0xLjQ=";
let everything: HostResult;
let failed: HostResult;
let structured: HostResult;

beforeAll(async () => {
  const server = createServer({ name: "media", version: "1.0.0" });
  server.tool("all", {}, () => [
    text("Hello"),
    image(png, "image/png"),
    audio("UklGRg==", "audio/wav"),
    link("file:///a.txt", { name: "a.txt", description: "A file" }),
    embed({ uri: "file:///b.txt", text: "Inside" }),
    embed({ uri: "file:///c.pdf", blob: pdf, mimeType: "application/pdf" }),
    image("AAAA", "image/x-odd"),
  ]);
  server.tool("fail", {}, () => {
    throw new ToolError("No such city.");
  });
  server.tool("data", { output: { type: "object", properties: { sum: { type: "number" } } } }, () => ({
    sum: 5,
  }));
  const host = await openHost({ servers: { media: server } });
  [everything, failed, structured] = await Promise.all([
    host.call("media__all"),
    host.call("media__fail"),
    host.call("media__data"),
  ]);
  await host.close();
});

const linked = "[a.txt](file:///a.txt): A file";
const heard = "[audio audio/wav, 4 bytes]";

describe("a result", () => {
  test("as text names what can't be written", () => {
    expect(everything.text).toBe(
      [
        "Hello",
        "[image image/png, 8 bytes]",
        heard,
        linked,
        "file:///b.txt\nInside",
        "[resource file:///c.pdf application/pdf, 8 bytes]",
        "[image image/x-odd, 3 bytes]",
      ].join("\n"),
    );
    expect(failed).toMatchObject({ isError: true, text: "No such city.", error: undefined });
    expect(structured.text).toBe('{"sum":5}');
  });

  test("for Anthropic has images and PDF files as blocks", () => {
    expect(toAnthropicResult("id1", everything)).toEqual({
      type: "tool_result",
      tool_use_id: "id1",
      content: [
        { type: "text", text: "Hello" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
        { type: "text", text: heard },
        { type: "text", text: linked },
        { type: "text", text: "file:///b.txt\nInside" },
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } },
        { type: "text", text: "[image image/x-odd, 3 bytes]" },
      ],
    });
    expect(toAnthropicResult("id2", failed)).toMatchObject({
      is_error: true,
      content: [{ text: "No such city." }],
    });
  });

  test("for chats of OpenAI has media in one message after all answers", () => {
    const messages = toOpenAIChatMessages([
      { id: "c1", result: everything },
      { id: "c2", result: failed },
    ]);
    expect(messages.map(({ role }) => role)).toEqual(["tool", "tool", "user"]);
    expect(messages[0]).toMatchObject({ tool_call_id: "c1", content: everything.text });
    expect(messages[1]).toMatchObject({ tool_call_id: "c2", content: "The tool failed: No such city." });
    expect(messages[2]?.content).toContainEqual({
      type: "image_url",
      image_url: { url: `data:image/png;base64,${png}` },
    });
    expect(messages[2]?.content).toContainEqual({
      type: "input_audio",
      input_audio: { data: "UklGRg==", format: "wav" },
    });
    expect(toOpenAIChatMessages([{ id: "c2", result: structured }])).toHaveLength(1);
  });

  test("for responses of OpenAI has images and files as items", () => {
    const { output } = toOpenAIResponsesResult("f1", everything);
    expect(output.map(({ type }) => type)).toEqual([
      "input_text",
      "input_image",
      "input_text",
      "input_text",
      "input_text",
      "input_file",
      "input_text",
    ]);
    expect(toOpenAIResponsesResult("f2", failed).output).toEqual([
      { type: "input_text", text: "The tool failed:" },
      { type: "input_text", text: "No such city." },
    ]);
  });

  test("for Gemini has media beside the answer", () => {
    const [answer, ...media] = toGeminiParts({ id: "g1", name: "media__all" }, everything);
    expect(answer).toEqual({
      functionResponse: { id: "g1", name: "media__all", response: { output: everything.text } },
    });
    expect(media).toContainEqual({ inlineData: { mimeType: "audio/wav", data: "UklGRg==" } });
    expect(toGeminiParts({ name: "x" }, failed)).toEqual([
      { functionResponse: { name: "x", response: { error: "No such city." } } },
    ]);
    expect(toGeminiParts({ name: "x" }, structured)).toMatchObject([
      { functionResponse: { response: { output: { sum: 5 } } } },
    ]);
  });

  test("that is huge is cut, and says so", () => {
    const content = [{ type: "text", text: "x".repeat(500) } as const, { type: "text", text: "y" } as const];
    const { content: blocks } = toAnthropicResult("id", { content }, { maxChars: 100 });
    expect(blocks).toEqual([
      { type: "text", text: `${"x".repeat(100)}\n[cut off: the result has more text]` },
    ]);
  });
});

describe("tools for models", () => {
  const inputSchema = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  } as const;
  const tools: readonly ModelTool[] = [
    {
      name: "weather__get",
      description: "Weather\u{e0041}\u200b of a city",
      inputSchema: { ...inputSchema, required: ["city"] },
    },
    { name: "long__one", description: "x".repeat(2_000), inputSchema: { type: "object" } },
  ];

  test("have the form of each provider, and no hidden characters", () => {
    const parameters = inputSchema;
    const description = "Weather of a city";
    expect(toAnthropicTools(tools)[0]).toEqual({
      name: "weather__get",
      description,
      input_schema: parameters,
    });
    expect(toOpenAIChatTools(tools)[0]).toEqual({
      type: "function",
      function: { name: "weather__get", description, parameters },
    });
    expect(toOpenAIResponsesTools(tools)[0]).toEqual({
      type: "function",
      name: "weather__get",
      description,
      parameters,
      strict: false,
    });
    expect(toGeminiTools(tools)[0]?.functionDeclarations[0]).toEqual({
      name: "weather__get",
      description,
      parametersJsonSchema: parameters,
    });
    expect(toOpenAIChatTools(tools)[1]?.function.description).toHaveLength(1_024);
    expect(toGeminiTools([])).toEqual([]);
  });

  test("notes about lost constraints survive a description that is too long", () => {
    const schema = { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] } as const;
    const [tool] = toOpenAIChatTools([{ name: "a__b", description: "x".repeat(2_000), inputSchema: schema }]);
    expect(tool?.function.description.length).toBeLessThanOrEqual(1_024);
    expect(tool?.function.description).toContain(
      "at least one of these sets of arguments is needed: (a) or (b)",
    );
  });

  test("of the AI SDK run through the host, and have a schema that the library reads", async () => {
    const calls: unknown[] = [];
    const host = {
      call: async (name: string, args: object) => {
        calls.push([name, args]);
        return everything;
      },
    };
    const { weather__get: tool } = toAiSdkTools(tools, host);
    if (tool === undefined) throw new Error("There is no tool.");
    const schema = asSchema(tool.inputSchema);
    expect(await schema.jsonSchema).toMatchObject(inputSchema);
    expect(await schema.validate?.({ city: "Oslo" })).toEqual({ success: true, value: { city: "Oslo" } });
    const output = await tool.execute({ city: "Oslo" }, {});
    expect(calls).toEqual([["weather__get", { city: "Oslo" }]]);
    expect(tool.toModelOutput({ output })).toMatchObject({
      type: "content",
      value: expect.arrayContaining([{ type: "image-data", data: png, mediaType: "image/png" }]),
    });
    expect(tool.toModelOutput({ output: failed })).toEqual({ type: "error-text", value: "No such city." });
  });
});
