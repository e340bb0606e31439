import type { OptionTable } from "./verb.ts";

/** A verb with what can follow it on the command line. */
export interface CompletedVerb {
  readonly name: string;
  readonly summary: string;
  readonly options: OptionTable;
}

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The script that makes a shell complete verbs and options. All words in it are our own. */
export function toCompletionScript(shell: Shell, verbs: readonly CompletedVerb[]): string {
  switch (shell) {
    case "bash":
      return toBash(verbs);
    case "zsh":
      return `#compdef allspeak\nautoload -U +X bashcompinit && bashcompinit\n${toBash(verbs)}`;
    case "fish":
      return toFish(verbs);
  }
}

function toBash(verbs: readonly CompletedVerb[]): string {
  const names = verbs.map(({ name }) => name).join(" ");
  const cases = verbs.map(({ name, options }) => {
    const words = Object.keys(options).map((option) => `--${option}`);
    return `    ${name}) words="${words.join(" ")}" ;;`;
  });
  return `_allspeak() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=( $(compgen -W "${names}" -- "$current") )
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=( $(compgen -W "$words" -- "$current") ) ;;
    *) COMPREPLY=( $(compgen -f -- "$current") ) ;;
  esac
}
complete -F _allspeak allspeak
`;
}

function toFish(verbs: readonly CompletedVerb[]): string {
  const lines = verbs.flatMap(({ name, summary, options }) => [
    `complete -c allspeak -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
    ...Object.entries(options).map(([option, { short, type, description }]) => {
      const letter = short === undefined ? "" : ` -s ${short}`;
      const takes = type === "boolean" ? "" : " -r";
      const when = quote(`__fish_seen_subcommand_from ${name}`);
      return `complete -c allspeak -n ${when} -l ${option}${letter}${takes} -d ${quote(description)}`;
    }),
  ]);
  return `${lines.join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
