import { embed, image, prompt, text } from "allspeak";
import { z } from "zod";
import { png } from "./media.ts";

const simple = prompt(
  "test_simple_prompt",
  { description: "A prompt without arguments" },
  () => "This is a simple prompt for testing.",
);

const suggestions = ["testing", "tested", "tasting"];

const withArguments = prompt(
  "test_prompt_with_arguments",
  {
    description: "A prompt with two arguments",
    args: {
      arg1: z.string().describe("First test argument"),
      arg2: z.string().describe("Second test argument"),
    },
    complete: { arg1: (typed) => suggestions.filter((suggestion) => suggestion.startsWith(typed)) },
  },
  ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
);

const withEmbeddedResource = prompt(
  "test_prompt_with_embedded_resource",
  {
    description: "A prompt that brings a resource",
    args: { resourceUri: z.string().describe("URI of the resource to embed") },
  },
  ({ resourceUri }) => [
    {
      role: "user",
      content: embed({
        uri: resourceUri,
        mimeType: "text/plain",
        text: "Embedded resource content for testing.",
      }),
    },
    { role: "user", content: text("Please process the embedded resource above.") },
  ],
);

const withImage = prompt("test_prompt_with_image", { description: "A prompt that brings an image" }, () => [
  { role: "user", content: image(png, "image/png") },
  { role: "user", content: text("Please analyze the image above.") },
]);

export const prompts = [simple, withArguments, withEmbeddedResource, withImage];
