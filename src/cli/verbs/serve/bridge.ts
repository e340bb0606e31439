import { type Isolation, openBridge } from "allspeak/bridge";
import { assertServeOptions, isolationOption, serveOptions } from "../../serve/serve-options.ts";
import { serveServer } from "../../serve/serve-server.ts";
import { libraryFor, toConnectOptions, withStderr } from "../../target/open-target.ts";
import { resolveTarget } from "../../target/resolve-target.ts";
import { targetArgument, targetOptions } from "../../target/target-options.ts";
import { defineVerb, type Verb } from "../../verb.ts";

const { header, env, revision, timeout, config, export: exported, yes, "no-input": noInput } = targetOptions;

const options = {
  ...serveOptions,
  header,
  env,
  config,
  export: exported,
  yes,
  "no-input": noInput,
  revision: { ...revision, description: "Speak only this revision to the target" },
  timeout,
  isolation: {
    ...isolationOption,
    description: "The callers that share a connection to the target. Default: per-session",
  },
} as const;

export const bridge: Verb<typeof options> = defineVerb({
  arguments: [targetArgument],
  options,
  examples: [
    ["allspeak bridge https://example.com/mcp", "for a host that only starts commands"],
    ['allspeak bridge "npx -y some-old-server" --http :3000', "an old command as a new server over HTTP"],
  ],
  notes: "Questions, progress, logs and cancellation cross in both directions. Its clients ask for consent.",
  async run({ arguments: [target = ""], options, terminal }) {
    assertServeOptions(options);
    const request = { target, options, terminal };
    const resolved = withStderr(await resolveTarget(target, options, terminal), request);
    const { signal, headers, auth, revisions, timeout, openTimeout, onProblem } = await toConnectOptions(
      resolved,
      request,
    );
    const library = await libraryFor(resolved);
    const bridge = await (library?.openBridge ?? openBridge)(resolved.target, {
      connect: {
        ...(signal && { signal }),
        ...(headers && { headers }),
        ...(auth && { auth }),
        ...(revisions && { revisions }),
        ...(timeout && { timeout }),
        ...(openTimeout !== undefined && { openTimeout }),
        ...(onProblem && { onProblem }),
      },
      ...(options.isolation !== undefined && { isolation: options.isolation as Isolation }),
    });
    try {
      return await serveServer({ server: bridge.server, options, terminal, ...(library && { library }) });
    } finally {
      await bridge.close();
    }
  },
});
