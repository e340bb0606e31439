import { useEffect, useRef, useState } from "preact/hooks";
import type { ConnectionView } from "../../../../src/inspector/messages/connection.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { toCount, toDuration } from "../../parts/format.ts";
import { type Outcome, run } from "../../state/calls.ts";
import { connectAgain } from "../../state/connect.ts";
import { keepPlace, lastPlace } from "../../state/last-places.ts";
import { request, toFailure } from "../../state/link.ts";
import { hrefOf } from "../../state/route.ts";
import { addProblem, openConnections } from "../../state/session.ts";
import { useEntries } from "../../wire/wire-lists.ts";
import { AboutView } from "./about-view.tsx";
import { LiveView } from "./live-view.tsx";
import { readPanes, type ServerPlace } from "./panes.ts";
import { PromptsView } from "./prompts/prompts-view.tsx";
import { RawView } from "./raw-view.tsx";
import { ResourcesView } from "./resources/resources-view.tsx";
import { TasksView } from "./tasks/tasks-view.tsx";
import { ToolsView } from "./tools/tools-view.tsx";

export interface ServerViewProps {
  readonly connection: ConnectionView;
  readonly place: ServerPlace;
}

const views: readonly (readonly [
  name: string,
  title: string,
  has: (connection: ConnectionView) => boolean,
])[] = [
  ["tools", "Tools", ({ server }) => server?.capabilities.tools !== undefined],
  ["resources", "Resources", ({ server }) => server?.capabilities.resources !== undefined],
  ["prompts", "Prompts", ({ server }) => server?.capabilities.prompts !== undefined],
  ["tasks", "Tasks", () => true],
  ["live", "Live", () => true],
  ["raw", "Raw", () => true],
  ["about", "About", () => true],
];

export function ServerPage(props: ServerViewProps) {
  const { connection, place } = props;
  const isOpen = connection.state === "open";
  const shown = isOpen ? (place.path[0] ?? "tools") : "about";
  if (isOpen) keepPlace(connection.id, [shown, ...place.path.slice(1)]);
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shown]);
  return (
    <section class="server" aria-label={connection.label}>
      <header class="server-head">
        <div class="row wraps server-title">
          <h1 class="clip" title={connection.server?.info?.title}>
            {connection.label}
          </h1>
          {connection.revision && (
            <a href={place.href(["about"])} title="Why this revision is spoken">
              <Badge tone="info">{connection.revision}</Badge>
            </a>
          )}
          {connection.transport && <Badge>{connection.transport}</Badge>}
          {!isOpen && <Badge tone={connection.state === "failed" ? "bad" : "warn"}>{connection.state}</Badge>}
          <span class="grow" />
          {isOpen && <HeadActions {...props} />}
          {isOver(connection) && <ConnectAgain connection={connection} />}
        </div>
        <nav ref={tabs} class="server-views" aria-label={`Views of ${connection.label}`}>
          {views.map(([name, title, has]) => (
            <a
              key={name}
              href={place.href(lastPlace(connection.id, name))}
              aria-current={name === shown ? "page" : undefined}
              class={has(connection) ? "" : "faint"}
            >
              {title}
            </a>
          ))}
          <WireLink connection={connection} />
        </nav>
      </header>
      <View {...props} shown={shown} />
    </section>
  );
}

function View({ shown, ...props }: ServerViewProps & { readonly shown: string }) {
  switch (shown) {
    case "tools":
      return <ToolsView {...props} />;
    case "resources":
      return <ResourcesView {...props} />;
    case "prompts":
      return <PromptsView {...props} />;
    case "tasks":
      return <TasksView {...props} />;
    case "live":
      return <LiveView {...props} />;
    case "raw":
      return <RawView {...props} />;
    default:
      return <AboutView {...props} />;
  }
}

/** The messages of the server, with the number of those that break the specification. */
function WireLink({ connection: { id } }: Pick<ServerViewProps, "connection">) {
  const warned = useEntries({ connections: [id], hasWarnings: true }).count.value;
  return (
    <a href={hrefOf(["wire"], { server: id })}>
      Its wire {warned > 0 && <Badge tone="warn">{toCount(warned, "warning")}</Badge>}
    </a>
  );
}

/** Tells connections that the person made and that are over. */
function isOver({ state, purpose }: ConnectionView): boolean {
  return purpose === undefined && (state === "closed" || state === "failed");
}

function ConnectAgain({ connection }: Pick<ServerViewProps, "connection">) {
  // A connection that fails is shown with its reason.
  const connect = () => void connectAgain(connection).catch(addProblem);
  return (
    <Button icon="plug" onPress={connect}>
      Connect again
    </Button>
  );
}

function HeadActions({ connection, place }: ServerViewProps) {
  const [ping, setPing] = useState<Outcome<{ readonly ms: number }>>({ state: "idle" });
  const disconnect = () => {
    request("disconnect", { connection: connection.id }).catch((error: unknown) =>
      setPing({ state: "failed", failure: toFailure(error) }),
    );
  };
  return (
    <div class="row head-actions">
      {ping.state === "done" && <span class="tiny good number">{toDuration(ping.result.ms)}</span>}
      {ping.state === "failed" && <span class="tiny bad clip">{ping.failure.message}</span>}
      <Button look="quiet" onPress={() => void run("ping", { connection: connection.id }, "ping", setPing)}>
        Ping
      </Button>
      {place.add && <AddBeside onAdd={place.add} />}
      <Button look="quiet" onPress={disconnect}>
        Disconnect
      </Button>
      {place.close && (
        <Button look="quiet" icon="close" label={`Hide ${connection.label}`} onPress={place.close} />
      )}
    </div>
  );
}

/** The open servers that are not shown yet, to be shown beside the others. */
function AddBeside({ onAdd }: { readonly onAdd: (id: string) => void }) {
  const shown = new Set(readPanes().map(({ id }) => id));
  const others = openConnections.value.filter(({ id }) => !shown.has(id));
  if (others.length === 0) return null;
  return (
    <select
      aria-label="Server beside this one"
      value=""
      onChange={(event) => onAdd(event.currentTarget.value)}
    >
      <option value="">beside…</option>
      {others.map(({ id, label }) => (
        <option key={id} value={id}>
          beside {label}
        </option>
      ))}
    </select>
  );
}
