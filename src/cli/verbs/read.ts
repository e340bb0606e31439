import { readTexts } from "../arguments/read-texts.ts";
import { ExitCode } from "../exit-code.ts";
import { ContentWriter } from "../show/content.ts";
import { withTarget } from "../target/open-target.ts";
import { targetArgument, targetOptions } from "../target/target-options.ts";
import { followCall } from "../terminal/follow-call.ts";
import { defineVerb, type Verb } from "../verb.ts";

const options = {
  out: { type: "string", short: "o", value: "FOLDER", description: "Save binary contents" },
  ...targetOptions,
} as const;

export const read: Verb<typeof options> = defineVerb({
  arguments: [
    targetArgument,
    { name: "uri", description: "the URI of a resource, or a template" },
    { name: "key=value", description: "the variables of a template", isRest: true },
  ],
  options,
  examples: [
    ["allspeak read everything test://static-text", "one resource"],
    ["allspeak read everything 'test://template/{id}/data' id=123", "a template, filled in"],
  ],
  async run({ arguments: [target = "", uri = "", ...words], options, terminal }) {
    const variables = readTexts(words);
    return withTarget({ target, options, terminal }, async (client) => {
      const isTemplate = words.length > 0;
      const read = await followCall(terminal, (following) =>
        client.resources.read(uri, { ...following, ...(isTemplate && { variables }) }),
      );
      if (options.json) terminal.printJson(read);
      else {
        const writer = new ContentWriter({ terminal, out: options.out });
        for (const contents of read.contents) await writer.writeResource(contents);
      }
      return ExitCode.ok;
    });
  },
});
