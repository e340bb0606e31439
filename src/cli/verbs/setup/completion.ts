import { CommandError } from "../../command-error.ts";
import { shells, toCompletionScript } from "../../completion-script.ts";
import { ExitCode } from "../../exit-code.ts";
import { sharedOptions } from "../../shared-options.ts";
import { defineVerb, type Verb } from "../../verb.ts";

export const completion: Verb = defineVerb({
  arguments: [{ name: "shell", description: shells.join(", ") }],
  options: {},
  examples: [
    ["allspeak completion fish > ~/.config/fish/completions/allspeak.fish", "for fish"],
    ["source <(allspeak completion bash)", "for this session of bash; put it into ~/.bashrc"],
    ["source <(allspeak completion zsh)", "likewise in ~/.zshrc"],
  ],
  async run({ arguments: [shell], terminal, verbs }) {
    const known = shells.find((one) => one === shell);
    if (!known)
      throw new CommandError(
        `completion knows ${shells.join(", ")}, not ${JSON.stringify(shell)}.`,
        ExitCode.usage,
      );
    const completed = await Promise.all(
      verbs.map(async ({ name, summary, load }) => {
        const { options } = await load();
        return { name, summary, options: { ...options, ...sharedOptions } };
      }),
    );
    terminal.print(toCompletionScript(known, completed));
    return ExitCode.ok;
  },
});
