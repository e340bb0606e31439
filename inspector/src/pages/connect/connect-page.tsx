import { useState } from "preact/hooks";
import type { ConnectChoice, TargetChoice } from "../../../../src/inspector/messages/connection.ts";
import type { Failure } from "../../../../src/inspector/messages/reply.ts";
import { Badge } from "../../parts/badge.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { connectTo } from "../../state/connect.ts";
import { toFailure } from "../../state/link.ts";
import { route, setQuery } from "../../state/route.ts";
import { about } from "../../state/session.ts";
import { ConfiguredServers } from "./configured-servers.tsx";
import { ConnectOptions } from "./connect-options.tsx";
import { CommandForm, ModuleForm, UrlForm } from "./target-forms.tsx";

type Way = "url" | "command" | "module" | "configured";

const ways: readonly { readonly name: Way; readonly title: string }[] = [
  { name: "url", title: "URL" },
  { name: "command", title: "Command" },
  { name: "module", title: "Module" },
  { name: "configured", title: "Configured" },
];

export function ConnectPage({ isFirst }: { readonly isFirst: boolean }) {
  const way = (route.value.query.get("by") ?? "url") as Way;
  const [options, setOptions] = useState<ConnectChoice>({});
  const [failure, setFailure] = useState<Failure>();
  const connect = (target: TargetChoice) => {
    setFailure(undefined);
    connectTo(target, options).catch((error: unknown) => setFailure(toFailure(error)));
  };
  return (
    <div class="page connect">
      <header class="stack tight">
        <h1>{isFirst ? "See a server" : "Connect"}</h1>
        <p class="soft">
          Any MCP server in the world: by its address, as a program, as a module, or from your configuration.
        </p>
      </header>
      <Offered onConnect={connect} />
      <Tabs label="How to reach the server" tabs={ways} chosen={way} onChoose={(by) => setQuery({ by })} />
      <div class="panel">
        {way === "url" && <UrlForm onConnect={connect} />}
        {way === "command" && <CommandForm onConnect={connect} />}
        {way === "module" && <ModuleForm onConnect={connect} />}
        {way === "configured" && <ConfiguredServers onConnect={connect} />}
        <ConnectOptions options={options} isUrl={way === "url"} onChange={setOptions} />
      </div>
      {failure && <FailureNote failure={failure} />}
    </div>
  );
}

function Offered({ onConnect }: { readonly onConnect: (target: TargetChoice) => void }) {
  const { offered } = about.value;
  if (offered.length === 0) return null;
  return (
    <section class="stack" aria-label="Servers that are ready">
      <h2>Ready here</h2>
      <ul class="offers">
        {offered.map(({ name, title, description, url, isFirst }) => (
          <li key={name}>
            <button type="button" class="offer" onClick={() => onConnect({ kind: "offered", name })}>
              <span class="row">
                <strong class="grow">{title}</strong>
                {isFirst && <Badge tone="info">first</Badge>}
                <Icon name="right" />
              </span>
              {description && <span class="small soft">{description}</span>}
              {url && <span class="tiny faint mono clip">{url}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
