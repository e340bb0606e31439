import { assertServeOptions, serveOptions } from "../../serve/serve-options.ts";
import { serveServer } from "../../serve/serve-server.ts";
import { loadDemo } from "../../target/demo.ts";
import { defineVerb, type Verb } from "../../verb.ts";

export const everything: Verb<typeof serveOptions> = defineVerb({
  arguments: [],
  options: serveOptions,
  examples: [
    ["allspeak everything --http :3000", "over HTTP, on this machine only"],
    ["allspeak everything", "on standard input and output, for a host that starts it"],
  ],
  async run({ options, terminal }) {
    assertServeOptions(options);
    return serveServer({ server: await loadDemo(), options, terminal });
  },
});
