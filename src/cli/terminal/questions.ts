import type { ElicitRequest, ElicitResult, Implementation, SamplingRequest, SamplingResult } from "allspeak";
import { Mutex } from "../../lib/async/mutex.ts";
import { escapeLine, escapeText } from "../show/escape.ts";
import { findSecret, isPunycode } from "./phishing.ts";
import { Prompts } from "./prompts.ts";
import { askForm } from "./schema-form.ts";
import type { Terminal } from "./terminal.ts";

/** Puts the questions of a server to the person at the terminal, one at a time. */
export class TerminalQuestions {
  readonly #terminal: Terminal;
  readonly #prompts: Prompts;
  readonly #turns = new Mutex();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#prompts = new Prompts(terminal);
  }

  elicit(ask: ElicitRequest, server: Implementation | undefined): Promise<ElicitResult> {
    return this.#turns.run(() => (ask.mode === "url" ? this.#visit(ask, server) : this.#fill(ask, server)));
  }

  sample(ask: SamplingRequest, server: Implementation | undefined): Promise<SamplingResult> {
    return this.#turns.run(() => this.#answerAsModel(ask, server));
  }

  async #fill(
    ask: Exclude<ElicitRequest, { mode: "url" }>,
    server: Implementation | undefined,
  ): Promise<ElicitResult> {
    this.#introduce(server, "asks", ask.message);
    const secret = findSecret(ask.requestedSchema);
    if (secret !== undefined)
      this.#warn(`It asks for ${secret}. A server may not ask for secrets in a form.`);
    const choice = await this.#prompts.select("Answer?", [
      { value: "accept", label: "Answer" },
      { value: "decline", label: "Decline" },
      { value: "cancel", label: "Not now" },
    ] as const);
    if (choice !== "accept") return { action: choice };
    return { action: "accept", content: await askForm(ask.requestedSchema, {}, this.#prompts) };
  }

  /**
   * Shows the URL whole and never opens it: the user decides where to go.
   *
   * client/elicitation#safe-url-handling (2025-11-25)
   */
  async #visit(
    ask: Extract<ElicitRequest, { mode: "url" }>,
    server: Implementation | undefined,
  ): Promise<ElicitResult> {
    const paint = this.#terminal.notePaint;
    this.#introduce(server, "asks you to visit a page", ask.message);
    this.#terminal.note(`  site: ${paint.bold(escapeLine(new URL(ask.url).host))}`);
    this.#terminal.note(`  page: ${escapeLine(ask.url)}`);
    if (isPunycode(ask.url))
      this.#warn(
        "The name of the site has letters beyond a to z, which may look like those of another site.",
      );
    const action = await this.#prompts.select("Open it in a browser yourself, then choose:", [
      { value: "accept", label: "I have opened it" },
      { value: "decline", label: "Decline" },
      { value: "cancel", label: "Not now" },
    ] as const);
    return { action };
  }

  async #answerAsModel(ask: SamplingRequest, server: Implementation | undefined): Promise<SamplingResult> {
    this.#introduce(server, "wants an answer from a model; you may write it", ask.systemPrompt ?? "");
    for (const { role, content } of ask.messages) {
      for (const block of Array.isArray(content) ? content : [content]) {
        const said = block.type === "text" ? block.text : `[${block.type}]`;
        this.#terminal.note(`  ${role}: ${escapeText(said)}`);
      }
    }
    const isAnswered = await this.#prompts.confirm("Answer in place of a model?");
    if (!isAnswered) throw new Error("The user refused to answer in place of a model.");
    const text = await this.#prompts.text({ message: "Your answer" });
    return { role: "assistant", model: "a person at a terminal", content: { type: "text", text } };
  }

  #introduce(server: Implementation | undefined, does: string, message: string): void {
    const name = escapeLine(server?.title ?? server?.name ?? "The server");
    this.#terminal.note(`${this.#terminal.notePaint.cyan("?")} ${name} ${does}:`);
    if (message !== "") this.#terminal.note(`  ${escapeText(message).replaceAll("\n", "\n  ")}`);
  }

  #warn(text: string): void {
    this.#terminal.note(`  ${this.#terminal.notePaint.red(escapeLine(text))}`);
  }
}
