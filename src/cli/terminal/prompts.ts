import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import { toPromptOutput } from "./prompt-output.ts";
import type { Terminal } from "./terminal.ts";

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

export interface TextPrompt {
  readonly message: string;
  readonly initial?: string | undefined;
  readonly placeholder?: string | undefined;
  /** Explains what is wrong with a text, if it is. */
  readonly validate?: (text: string) => string | undefined;
}

interface PromptParts {
  readonly input: Terminal["streams"]["stdin"];
  readonly output: ReturnType<typeof toPromptOutput>;
  readonly signal: AbortSignal;
}

/**
 * Asks the person at the terminal, on standard error. Texts must be escaped already.
 *
 * Ctrl-C, Ctrl-D and Escape end the whole command.
 */
export class Prompts {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async text({ message, initial, placeholder, validate }: TextPrompt): Promise<string> {
    const clack = await this.#load();
    return this.#answer((common) =>
      clack.text({
        message,
        ...common,
        ...(initial !== undefined && { initialValue: initial }),
        ...(placeholder !== undefined && { placeholder }),
        ...(validate && { validate: (text: string | undefined) => validate(text ?? "") }),
      }),
    );
  }

  /** Like `text`, with what is typed hidden. */
  async secret(message: string): Promise<string> {
    const clack = await this.#load();
    return this.#answer((common) => clack.password({ message, ...common }));
  }

  async confirm(message: string, initial = false): Promise<boolean> {
    const clack = await this.#load();
    return this.#answer((common) => clack.confirm({ message, initialValue: initial, ...common }));
  }

  async select<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value> {
    const clack = await this.#load();
    const options = choices as { value: Value; label: string }[];
    return this.#answer((common) => clack.select<string>({ message, options, ...common })) as Promise<Value>;
  }

  async multiselect(
    message: string,
    choices: readonly Choice<string>[],
    isRequired: boolean,
  ): Promise<readonly string[]> {
    const clack = await this.#load();
    const options = choices as { value: string; label: string }[];
    return this.#answer((common) => clack.multiselect({ message, options, required: isRequired, ...common }));
  }

  /** Loaded with the first question: most runs ask none. */
  #load(): Promise<typeof import("@clack/prompts")> {
    this.#terminal.useProgress(undefined);
    return import("@clack/prompts");
  }

  async #answer<Value>(ask: (common: PromptParts) => Promise<Value>): Promise<Exclude<Value, symbol>> {
    const { stdin, signal } = this.#terminal.streams;
    const ending = new AbortController();
    // Ctrl-D closes the input that a prompt reads, which would then wait indefinitely.
    const onKey = (_text: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined) => {
      if (key?.ctrl && key.name === "d") ending.abort();
    };
    stdin.on("keypress", onKey);
    try {
      const output = toPromptOutput(this.#terminal);
      const answer = await ask({ input: stdin, output, signal: AbortSignal.any([signal, ending.signal]) });
      if (typeof answer === "symbol") throw new CommandError("Interrupted.", ExitCode.interrupted);
      return answer as Exclude<Value, symbol>;
    } finally {
      stdin.off("keypress", onKey);
    }
  }
}
