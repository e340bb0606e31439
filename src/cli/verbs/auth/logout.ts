import type { CredentialStore } from "allspeak/auth";
import { ExitCode } from "../../exit-code.ts";
import { forgetTokens, openCredentialStore, rememberLogin } from "../../target/credentials.ts";
import { defineVerb, type Verb } from "../../verb.ts";
import { assertUrlTarget, urlArgument } from "./url-target.ts";

export const logout: Verb = defineVerb({
  arguments: [urlArgument],
  options: {},
  examples: [["allspeak logout https://example.com/mcp", "forgets the tokens for this server"]],
  async run({ arguments: [target = ""], terminal }) {
    const url = assertUrlTarget(target, "logout");
    const store = new DeletionStore(await openCredentialStore(terminal));
    await forgetTokens(store, url.href);
    await rememberLogin(terminal, url.href, undefined);
    const server = `${url.origin}${url.pathname}`;
    terminal.print(
      store.hasDeleted ? `The tokens for ${server} are forgotten.` : `There were no tokens for ${server}.`,
    );
    return ExitCode.ok;
  },
});

/** A store that knows whether there was anything to delete. */
class DeletionStore implements CredentialStore {
  readonly #store: CredentialStore;
  readonly get: CredentialStore["get"];
  readonly set: CredentialStore["set"];
  readonly exclusive: CredentialStore["exclusive"];
  hasDeleted = false;

  constructor(store: CredentialStore) {
    this.#store = store;
    this.get = (key) => store.get(key);
    this.set = (key, value) => store.set(key, value);
    this.exclusive = (name, work, signal) => store.exclusive(name, work, signal);
  }

  async delete(key: string): Promise<void> {
    if ((await this.#store.get(key)) !== undefined) this.hasDeleted = true;
    await this.#store.delete(key);
  }
}
