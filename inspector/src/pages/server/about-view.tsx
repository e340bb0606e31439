import type { AuthHop } from "../../../../src/errors.ts";
import type { ConnectionView, NegotiationStepView } from "../../../../src/inspector/messages/connection.ts";
import { Badge } from "../../parts/badge.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toDuration } from "../../parts/format.ts";
import { JsonText } from "../../parts/json-text.tsx";
import { hrefOf } from "../../state/route.ts";
import { about, questions } from "../../state/session.ts";
import type { ServerViewProps } from "./server-page.tsx";

/** How the connection came about, and what the server says about itself. */
export function AboutView({ connection }: ServerViewProps) {
  const { server, failure, stderr, steps, authHops } = connection;
  return (
    <div class="page about">
      {failure && <FailureNote failure={failure} />}
      <section class="stack" aria-label="Negotiation">
        <div class="row">
          <h2>Negotiation</h2>
          {connection.openedAfterMs !== undefined && (
            <span class="small faint number">open after {toDuration(connection.openedAfterMs)}</span>
          )}
        </div>
        <Why connection={connection} />
        <Steps steps={steps} />
      </section>
      {authHops.length > 0 && (
        <section class="stack" aria-label="Login">
          <h2>Login, step by step</h2>
          <ol class="steps">
            {authHops.map((hop, at) => (
              <Hop key={at} hop={hop} />
            ))}
          </ol>
        </section>
      )}
      {stderr && stderr.length > 0 && (
        <section class="stack" aria-label="Standard error">
          <h2>Standard error</h2>
          <pre class="stderr small">{stderr.join("\n")}</pre>
        </section>
      )}
      {server && <Server connection={connection} />}
    </div>
  );
}

/** The reason for the revision, or what the connection waits for. */
function Why({ connection: { id, revision, state } }: Pick<ServerViewProps, "connection">) {
  if (state === "connecting" && questions.value.some(({ connection }) => connection === id))
    return <p>It waits for your decision.</p>;
  if (revision === undefined) return null;
  return (
    <p>
      {revision === about.value.revisions[0]
        ? `Both sides speak ${revision}, the newest revision.`
        : `${revision} is the newest of the offered revisions that the server agreed to.`}
    </p>
  );
}

function Steps({ steps }: { readonly steps: readonly NegotiationStepView[] }) {
  if (steps.length === 0) return <p class="soft small">Nothing has been said yet.</p>;
  return (
    <ol class="steps">
      {steps.map((step) => (
        <li key={`${step.atMs} ${step.what}`} class={step.direction}>
          <span class="step-time number tiny faint">{toDuration(step.atMs)}</span>
          <span class="step-side">{step.direction === "sent" ? "client →" : "← server"}</span>
          <span class="wrap grow">{step.what}</span>
          {step.seq !== undefined && (
            <a class="tiny" href={hrefOf(["wire"], { message: String(step.seq) })}>
              message {step.seq}
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The steps of OAuth in words. */
const explained: Readonly<Record<string, string>> = {
  "resource-metadata": "Ask the server which authorization server guards it (RFC 9728).",
  "server-metadata": "Ask the authorization server for its addresses (RFC 8414).",
  registration: "Register this client (RFC 7591), or use its metadata document.",
  authorization:
    "Send the person to the login, in a browser, with a challenge that only this client can meet (PKCE).",
  callback: "The browser comes back to this machine with a code that works once.",
  "device-code": "Get a code that the person types on another device (RFC 8628).",
  token: "Exchange the code for a token that is meant for this server only (RFC 8707).",
  "token-exchange": "Exchange the login at the company for one at this server (RFC 8693).",
  refresh: "Get a new token before the old one ends.",
  "stored-token": "Use the token of an earlier login.",
  "step-up": "The server wants more rights than the token has: ask the person for them.",
  store: "Keep the token for the next connection.",
};

function Hop({ hop }: { readonly hop: AuthHop }) {
  const tone = hop.outcome === "ok" ? "good" : hop.outcome === "absent" ? "plain" : "bad";
  return (
    <li class="stack tight">
      <span class="row wraps">
        <Badge tone={tone}>{hop.outcome}</Badge>
        <strong class="hop-step">{hop.step}</strong>
        {hop.url && <code class="small wrap">{hop.url}</code>}
      </span>
      {explained[hop.step] && <span class="small soft hop-meaning">{explained[hop.step]}</span>}
      {hop.detail && <span class="small wrap">{hop.detail}</span>}
    </li>
  );
}

function Server({ connection }: { readonly connection: ConnectionView }) {
  const { info, capabilities, instructions } = connection.server ?? {};
  return (
    <section class="stack" aria-label="Server">
      <h2>Server</h2>
      {info && (
        <p>
          <strong>{info.title ?? info.name}</strong> <span class="faint mono small">{info.version}</span>
        </p>
      )}
      {instructions && <p class="plain-text soft">{instructions.slice(0, 8000)}</p>}
      <h3>Capabilities</h3>
      <JsonText value={capabilities} label="Capabilities" />
      <h3>Reached by</h3>
      <JsonText value={connection.target} label="Target" />
    </section>
  );
}
