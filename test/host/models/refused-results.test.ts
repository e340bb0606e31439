// A provider refuses the whole conversation for one result that it can't take.
import {
  toAiSdkTools,
  toAnthropicResult,
  toGeminiParts,
  toOpenAIChatMessages,
  toOpenAIResponsesResult,
} from "allspeak/host";
import { describe, expect, test } from "vitest";

type Result = Parameters<typeof toAnthropicResult>[1];

const picture = (mimeType: string, data = "AAAA") => ({ type: "image", mimeType, data }) as const;
const text = (written: string) => ({ type: "text", text: written }) as const;

/** The result as each provider gets it. */
function forAll(result: Result, options?: { readonly maxChars?: number }) {
  const tool = { name: "a", inputSchema: { type: "object" } } as const;
  const { a } = toAiSdkTools([tool], { call: async () => result }, options);
  return {
    anthropic: toAnthropicResult("id", result, options),
    chat: toOpenAIChatMessages([{ id: "id", result }], options),
    responses: toOpenAIResponsesResult("id", result, options),
    gemini: toGeminiParts({ name: "a" }, result, options),
    aiSdk: a?.toModelOutput({ output: result }),
  };
}

describe("a result", () => {
  test.each([{ content: [] }, { content: [text("")] }, { content: [text(" \n")] }])(
    "without text has some: %j",
    (result) => {
      const { anthropic, aiSdk, responses } = forAll(result);
      expect(anthropic.content).toEqual([text("The tool returned nothing.")]);
      expect(aiSdk).toEqual({ type: "content", value: [text("The tool returned nothing.")] });
      expect(responses.output).toEqual([{ type: "input_text", text: "The tool returned nothing." }]);
    },
  );

  test("that is a failure without text has some", () => {
    const { anthropic, aiSdk } = forAll({ content: [], isError: true });
    expect(anthropic).toMatchObject({ is_error: true, content: [text("The tool gave no reason.")] });
    expect(aiSdk).toEqual({ type: "error-text", value: "The tool gave no reason." });
  });

  test("that is a failure has text alone for Anthropic", () => {
    const { anthropic } = forAll({ content: [text("No."), picture("image/png")], isError: true });
    expect(anthropic.content).toEqual([text("No."), text("[image image/png, 3 bytes]")]);
  });

  test("leaves out texts without a letter beside others", () => {
    expect(forAll({ content: [text(""), text("a"), text("\n")] }).anthropic.content).toEqual([text("a")]);
  });

  test.each(["image/svg+xml", "image/tiff", "image/x-odd", "video/x-odd", ""])(
    "names data of the type %j, which no provider takes",
    (type) => {
      expect(JSON.stringify(forAll({ content: [picture(type)] }))).not.toContain("AAAA");
    },
  );

  test("names an image without data", () => {
    const shown = JSON.stringify(forAll({ content: [picture("image/png", "")] }));
    expect(shown).not.toMatch(/base64|inlineData|image-data/);
  });

  test.each(["image/jpg", "IMAGE/JPEG", "image/jpeg; charset=binary"])("has %s as a JPEG", (type) => {
    const { anthropic, chat, responses, gemini, aiSdk } = forAll({ content: [picture(type)] });
    expect(anthropic.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AAAA" } },
    ]);
    for (const form of [chat, responses])
      expect(JSON.stringify(form)).toContain("data:image/jpeg;base64,AAAA");
    expect(gemini).toContainEqual({ inlineData: { mimeType: "image/jpeg", data: "AAAA" } });
    expect(aiSdk).toMatchObject({ value: [{ type: "image-data", mediaType: "image/jpeg" }] });
  });

  test("has no halves of characters, also where it is cut", () => {
    const whole = forAll({ content: [text("a\ud800b")] });
    expect(JSON.stringify(whole)).not.toContain("\\ud800");
    const cut = forAll({ content: [text("😀😀")] }, { maxChars: 3 });
    expect(JSON.stringify(cut)).not.toMatch(/\\ud83d/);
    expect(cut.anthropic.content).toEqual([text("😀\n[cut off: the result has more text]")]);
  });

  test("with huge data is cut for Gemini, too", () => {
    const structuredContent = { rows: "x".repeat(500) };
    const content = [text(JSON.stringify(structuredContent))];
    const [answer] = forAll({ content, structuredContent }, { maxChars: 100 }).gemini;
    expect(JSON.stringify(answer).length).toBeLessThan(300);
  });
});
