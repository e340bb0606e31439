import { deviceCode } from "allspeak/auth";
import { connect } from "allspeak/client";
import { loopbackLogin } from "allspeak/node";
import { CommandError } from "../../command-error.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";
import { showServer } from "../../show/server.ts";
import { openCredentials, recallLogin, rememberLogin } from "../../target/credentials.ts";
import { jsonOption } from "../../target/target-options.ts";
import { Prompts } from "../../terminal/prompts.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { defineVerb, type Verb } from "../../verb.ts";
import { assertUrlTarget, urlArgument } from "./url-target.ts";

const options = {
  open: { type: "boolean", description: "Open the page in a browser, instead of only showing its URL" },
  device: { type: "boolean", description: "Log in with a code on another device" },
  scope: {
    type: "string",
    value: "SCOPE",
    multiple: true,
    description: "Ask for a scope beside those that the server names",
  },
  "client-id": {
    type: "string",
    value: "ID",
    description: "Log in as a client that you have registered, where the command can't register itself",
  },
  json: jsonOption,
} as const;

export const login: Verb<typeof options> = defineVerb({
  arguments: [urlArgument],
  options,
  examples: [
    ["allspeak login https://example.com/mcp", "shows the page to log in at, and waits"],
    ["allspeak login https://example.com/mcp --open", "opens the page in a browser"],
    ["allspeak login https://example.com/mcp --device", "for machines without a browser"],
    ["allspeak login https://example.com/mcp --client-id 0f3a", "as a client that you have registered"],
  ],
  notes: "Tokens are stored encrypted, for this user only, below ALLSPEAK_HOME or ~/.local/state/allspeak.",
  async run({ arguments: [target = ""], options, terminal }) {
    const url = assertUrlTarget(target, "login");
    const clientId = options["client-id"] ?? (await recallLogin(terminal, url.href))?.clientId;
    const auth = await openCredentials(terminal, url.href, {
      ...(options.device
        ? { grant: deviceCode({ show: (code) => showCode(code, terminal) }) }
        : { login: createLogin(terminal, options.open === true) }),
      scopes: options.scope,
      ...(clientId !== undefined && { client: { id: clientId } }),
    });
    const client = await connect(url, { auth, signal: terminal.signal });
    try {
      // Some servers let anybody connect and ask for credentials with the first request.
      if (client.server.capabilities.tools) await client.tools.list({ signal: terminal.signal }).all();
      await rememberLogin(terminal, url.href, { kind: options.device ? "device" : "browser", clientId });
      const steps = auth.explain();
      if (options.json) terminal.printJson({ server: client.server, steps });
      else {
        const isNew = steps.some(({ step, outcome }) => step === "token" && outcome === "ok");
        const said =
          steps.length === 0 ? "needs no login" : isNew ? "you are logged in" : "you were logged in already";
        terminal.print(`${showServer(client.server, terminal)}: ${said}.`);
      }
      return ExitCode.ok;
    } finally {
      await client.close();
    }
  },
});

function showCode(
  { url, userCode }: { readonly url: string; readonly userCode: string },
  terminal: Terminal,
): void {
  terminal.note(
    `Open this page on any device, and enter the code ${terminal.notePaint.bold(escapeLine(userCode))}:`,
  );
  terminal.note(`\n  ${escapeLine(url)}\n`);
}

/** A login on this machine. The page is shown with its whole URL, and opened only if the user agreed. */
function createLogin(terminal: Terminal, opens: boolean): ReturnType<typeof loopbackLogin> {
  const show = (url: URL): void => {
    terminal.note(
      `Log in at ${terminal.notePaint.bold(escapeLine(url.host))}:\n\n  ${escapeLine(url.href)}\n`,
    );
  };
  return loopbackLogin({
    open: async (url) => {
      show(url);
      if (opens && !(await openPage(url)))
        terminal.note("No browser could be started; open the page yourself.");
    },
    ...(terminal.canAsk &&
      !opens && {
        paste: () =>
          new Prompts(terminal).text({
            message: "Waiting for the browser. If it is on another machine, paste the URL that it ends at",
          }),
      }),
  });
}

async function openPage(url: URL): Promise<boolean> {
  const { openBrowser } = await import("../../../node/login/open-browser.ts");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new CommandError(
      `The server wants to open ${escapeLine(url.href)}, which is not a web page.`,
      ExitCode.declined,
    );
  }
  return openBrowser(url);
}
