import type { Client, ConnectOptions } from "allspeak/client";
import type { CommandContext, OptionTable, OptionValues, Verb } from "../verb.ts";
import { withTarget } from "./open-target.ts";
import type { ResolvedTarget } from "./resolved-target.ts";
import { targetArgument, targetOptions } from "./target-options.ts";

/** A verb that connects to a server. It has options of its own, and those of every such verb. */
export type TargetVerb<Own extends OptionTable> = Verb<Own & typeof targetOptions>;

/** The command line of such a verb; `arguments` are those after the target. */
export interface TargetContext<Own extends OptionTable> extends CommandContext<Own & typeof targetOptions> {
  /** Connects to the target, does the work, and closes. `connect` wins over the command line. */
  withClient<Result>(
    work: (client: Client, resolved: ResolvedTarget) => Promise<Result>,
    connect?: ConnectOptions,
  ): Promise<Result>;
}

export interface TargetVerbDefinition<Own extends OptionTable>
  extends Pick<Verb, "arguments" | "examples" | "notes"> {
  readonly options: Own;
  /** Does something with the file of `--config` where no target is named. Without it a target must be named. */
  runOnConfig?(config: string, context: CommandContext<Own & typeof targetOptions>): ReturnType<Verb["run"]>;
  run(context: TargetContext<Own>): ReturnType<Verb["run"]>;
}

/** Defines a verb whose first argument is the target that it connects to. */
export function defineTargetVerb<const Own extends OptionTable>({
  run,
  runOnConfig,
  ...verb
}: TargetVerbDefinition<Own>): TargetVerb<Own> {
  return {
    ...verb,
    arguments: [
      runOnConfig ? { ...targetArgument, isOptionalWith: "config" } : targetArgument,
      ...verb.arguments,
    ],
    options: { ...verb.options, ...targetOptions },
    run: ({ arguments: [target, ...others], ...context }) => {
      const options: OptionValues<typeof targetOptions> = context.options;
      if (target === undefined && runOnConfig && options.config !== undefined)
        return runOnConfig(options.config, { ...context, arguments: [] });
      return run({
        ...context,
        arguments: others,
        withClient: (work, connect) =>
          withTarget(
            { target: target ?? "", options, terminal: context.terminal, ...(connect && { connect }) },
            work,
          ),
      });
    },
  };
}
