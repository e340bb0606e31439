import type { CredentialStore } from "allspeak/auth";
import { connect } from "allspeak/client";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";
import { showServer } from "../../show/server.ts";
import { openCredentialStore, openCredentials } from "../../target/credentials.ts";
import { jsonOption } from "../../target/target-options.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { defineVerb, type Verb } from "../../verb.ts";
import { assertUrlTarget, urlArgument } from "./url-target.ts";

const options = { json: jsonOption } as const;

export const whoami: Verb<typeof options> = defineVerb({
  arguments: [urlArgument],
  options,
  examples: [
    ["allspeak whoami https://example.com/mcp", "who you are for this server, and with which scopes"],
  ],
  notes:
    "Ends with 4 if the server wants a login. The name is read from the token, which only the server can verify.",
  async run({ arguments: [target = ""], options, terminal }) {
    const url = assertUrlTarget(target, "whoami");
    const seen: JsonObject[] = [];
    const store = recordTokens(await openCredentialStore(terminal), seen);
    const auth = await openCredentials(terminal, url.href, { store });
    const client = await connect(url, { auth, signal: terminal.signal });
    try {
      if (client.server.capabilities.tools) await client.tools.list({ signal: terminal.signal }).all();
      const identity = describeTokens(seen.at(-1));
      if (options.json) terminal.printJson({ server: client.server, identity: identity ?? null });
      else showIdentity(identity, showServer(client.server, terminal), terminal);
      return ExitCode.ok;
    } finally {
      await client.close();
    }
  },
});

/** A store that notes the tokens which are read from it, or written to it. */
function recordTokens(store: CredentialStore, seen: JsonObject[]): CredentialStore {
  const note = (text: string | undefined) => {
    const value = text === undefined ? undefined : parse(text);
    if (isObject(value) && typeof value.accessToken === "string") seen.push(value);
    return text;
  };
  return {
    get: async (key) => note(await store.get(key)),
    set: async (key, value) => {
      note(value);
      await store.set(key, value);
    },
    delete: (key) => store.delete(key),
    exclusive: (name, work, signal) => store.exclusive(name, work, signal),
  };
}

interface Identity {
  readonly subject?: string;
  readonly issuer?: string;
  readonly client?: string;
  readonly scopes?: readonly string[];
  readonly expires?: string;
}

/** The claims of a token about its owner; the token itself stays secret. */
function describeTokens(tokens: JsonObject | undefined): Identity | undefined {
  if (!tokens) return undefined;
  const claims = readClaims(String(tokens.accessToken));
  const scopes = typeof claims.scope === "string" ? claims.scope.split(" ") : tokens.scopes;
  const expires = typeof claims.exp === "number" ? claims.exp * 1000 : tokens.expiresAt;
  return {
    ...(typeof claims.sub === "string" && { subject: claims.sub }),
    ...(typeof tokens.issuer === "string" && { issuer: tokens.issuer }),
    ...(typeof tokens.clientId === "string" && { client: tokens.clientId }),
    ...(Array.isArray(scopes) && { scopes }),
    ...(typeof expires === "number" && { expires: new Date(expires).toISOString() }),
  };
}

function readClaims(token: string): JsonObject {
  const value = parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  return isObject(value) ? value : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An opaque token, or a record of another kind.
    return undefined;
  }
}

function showIdentity(identity: Identity | undefined, server: string, terminal: Terminal): void {
  if (!identity) return terminal.print(`${server}: nobody; the server needs no login.`);
  const { paint } = terminal;
  terminal.print(`${server}: ${paint.bold(escapeLine(identity.subject ?? "logged in"))}`);
  for (const [name, value] of Object.entries(identity)) {
    if (name !== "subject") terminal.print(`  ${name}: ${escapeLine(String(value).replaceAll(",", " "))}`);
  }
}
