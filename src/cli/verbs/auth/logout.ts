import { ExitCode } from "../../exit-code.ts";
import { openCredentials, rememberLogin } from "../../target/credentials.ts";
import { assertUrlTarget, urlArgument } from "../../target/url-target.ts";
import { defineVerb, type Verb } from "../../verb.ts";

export const logout: Verb = defineVerb({
  arguments: [urlArgument],
  options: {},
  examples: [["allspeak logout https://example.com/mcp", "forgets the tokens for this server"]],
  async run({ arguments: [target = ""], terminal }) {
    const url = assertUrlTarget(target, "logout");
    const auth = await openCredentials(terminal, url.href);
    await auth.forget(url);
    await rememberLogin(terminal, url.href, undefined);
    terminal.print(`The tokens for ${url.origin}${url.pathname} are forgotten.`);
    return ExitCode.ok;
  },
});
