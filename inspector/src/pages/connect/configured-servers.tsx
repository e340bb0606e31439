import type { ConfiguredServerView, TargetChoice } from "../../../../src/inspector/messages/connection.ts";
import { Badge, Empty, Note } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { useRequest } from "../../state/use-request.ts";

interface ConfiguredServersProps {
  readonly onConnect: (target: TargetChoice) => void;
}

export function ConfiguredServers({ onConnect }: ConfiguredServersProps) {
  const { result, failure } = useRequest("list-configured", {});
  if (failure) return <FailureNote failure={failure} />;
  if (!result) return null;
  if (result.files.length === 0)
    return (
      <Empty title="No configuration found">
        Hosts keep their servers in files such as .mcp.json or mcp.json.
      </Empty>
    );
  return (
    <div class="stack">
      {result.files.map(({ path, host, servers, problems }) => (
        <section key={path} class="stack tight" aria-label={host}>
          <div class="row wraps">
            <h3>{host}</h3>
            <code class="tiny faint wrap">{path}</code>
          </div>
          {problems.map(({ server, message }) => (
            <Note key={message} tone="warn">
              {server && <strong>{server}: </strong>}
              {message}
            </Note>
          ))}
          <ul class="rows">
            {servers.map((server) => (
              <li key={server.name} class="row">
                <strong>{server.name}</strong>
                <code class="grow clip tiny soft">{describe(server)}</code>
                {server.isDisabled && <Badge>disabled</Badge>}
                <Button onPress={() => onConnect({ kind: "configured", file: path, name: server.name })}>
                  Connect
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function describe({ entry }: ConfiguredServerView): string {
  return "url" in entry ? entry.url : [entry.command, ...entry.args].join(" ");
}
