import { useState } from "preact/hooks";
import type { ConnectionView, OfferedServer } from "../../../src/inspector/messages/connection.ts";
import { Button } from "../parts/button.tsx";
import { toBytes, toCount } from "../parts/format.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { connectTo } from "../state/connect.ts";
import { lastPlace } from "../state/last-places.ts";
import { hrefOf, route } from "../state/route.ts";
import { about, addProblem, connections, forgetConnection, questions, wireTotals } from "../state/session.ts";
import { isHelpOpen } from "../state/shortcuts.ts";
import { switchTheme, theme } from "../state/theme.ts";

const views: readonly (readonly [path: string, title: string, icon: IconName])[] = [
  ["wire", "Wire", "wire"],
  ["revisions", "Five revisions", "revisions"],
  ["recordings", "Recordings", "record"],
  ["judge", "Judge", "judge"],
  ["host", "Host", "host"],
];

export function Sidebar() {
  const [isOpen, setOpen] = useState(false);
  return (
    <header class={`sidebar${isOpen ? " open" : ""}`}>
      <div class="brand">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M8 11h10a4 4 0 0 1 0 8h-3l-4 4v-4H8z" />
        </svg>
        <span class="brand-name">allspeak</span>
        <span class="faint tiny brand-version">{about.value.version}</span>
        <Button
          look="quiet"
          icon={theme.value === "dark" ? "sun" : "moon"}
          label="Switch between light and dark"
          onPress={switchTheme}
        />
        <span class="narrow-only">
          <Button look="quiet" icon="menu" label="Menu" expanded={isOpen} onPress={() => setOpen(!isOpen)} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only closes the menu after a link was followed. */}
      <nav aria-label="Views" onClick={() => setOpen(false)}>
        <h2 class="nav-title" id="nav-servers">
          Servers
        </h2>
        <ul aria-labelledby="nav-servers">
          {serversInOrder().map((server) =>
            "id" in server ? (
              <ServerLink key={server.id} connection={server} />
            ) : (
              <OfferItem key={server.name} offer={server} />
            ),
          )}
          <li>
            <a class="nav-item" href={hrefOf(["connect"])} aria-current={isAt("connect")}>
              <Icon name="plus" /> Connect
            </a>
          </li>
        </ul>
        <ClosedServers />
        <h2 class="nav-title" id="nav-views">
          All servers
        </h2>
        <ul aria-labelledby="nav-views">
          {views.map(([path, title, icon]) => (
            <li key={path}>
              <a class="nav-item" href={hrefOf([path])} aria-current={isAt(path)}>
                <Icon name={icon} />
                <span class="grow">{title}</span>
                {path === "wire" && wireTotals.value.count > 0 && (
                  <span class="tiny faint number" title={toBytes(wireTotals.value.bytes)}>
                    {wireTotals.value.count.toLocaleString("en")}
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
        <button type="button" class="nav-item nav-help" onClick={() => (isHelpOpen.value = true)}>
          <kbd>?</kbd> Keyboard
        </button>
      </nav>
    </header>
  );
}

/** Servers that were handed in stay where they are when they are connected; those that the person adds follow. */
function serversInOrder(): readonly (ConnectionView | OfferedServer)[] {
  const shown = connections.value.filter(({ state, purpose }) => state !== "closed" && purpose === undefined);
  const offered = about.value.offered.flatMap((offer): readonly (ConnectionView | OfferedServer)[] => {
    const its = shown.filter(({ target }) => target.kind === "offered" && target.name === offer.name);
    return its.length > 0 ? its : [offer];
  });
  return [...offered, ...shown.filter((connection) => !offered.includes(connection))];
}

/** A server that is ready and not connected: a click connects. */
function OfferItem({ offer: { name, title, description } }: { readonly offer: OfferedServer }) {
  const connect = () => connectTo({ kind: "offered", name }).catch(addProblem);
  return (
    <li>
      <button type="button" class="nav-item" title={description} onClick={() => void connect()}>
        <span class="dot offered" aria-hidden="true" />
        <span class="grow clip soft">
          {title}
          <span class="hidden-text">, not connected</span>
        </span>
      </button>
    </li>
  );
}

/** Tells connections that nobody looks for: those that were closed, and those for one purpose that failed. */
function isOver({ state, purpose }: ConnectionView): boolean {
  return state === "closed" || (state === "failed" && purpose !== undefined);
}

/** Connections that are over: the five of a comparison, those of the doctor, and those that the person closed. */
function ClosedServers() {
  const closed = connections.value.filter(isOver);
  if (closed.length === 0) return null;
  const forgetAll = () => void Promise.all(closed.map(({ id }) => forgetConnection(id)));
  return (
    <details class="nav-closed">
      <summary class="small soft">{toCount(closed.length, "closed connection")}</summary>
      <ul>
        {closed.slice(-50).map((connection) => (
          <ServerLink key={connection.id} connection={connection} />
        ))}
      </ul>
      <Button look="quiet" onPress={forgetAll}>
        Forget them
      </Button>
    </details>
  );
}

function isAt(path: string): "page" | undefined {
  return route.value.path[0] === path ? "page" : undefined;
}

function ServerLink({ connection }: { readonly connection: ConnectionView }) {
  const { id, label, state, revision, failure } = connection;
  const [kind, shown, view] = route.value.path;
  const isHere = kind === "server" && shown === id;
  const wanted = (kind === "server" && view) || (state === "open" ? "tools" : "about");
  const asked = questions.value.filter((question) => question.connection === id).length;
  return (
    <li class="row nav-server">
      <a
        class="nav-item grow"
        href={hrefOf(["server", id, ...lastPlace(id, wanted)])}
        aria-current={isHere ? "page" : undefined}
        title={failure?.message}
      >
        <span class={`dot ${state}`} aria-hidden="true" />
        <span class="grow clip">
          {label}
          <span class="hidden-text">, {state}</span>
        </span>
        {asked > 0 && <span class="count-badge">{asked}</span>}
        {revision && revision !== label && <span class="tiny faint number">{revision}</span>}
      </a>
      {(state === "closed" || state === "failed") && (
        <Button
          look="quiet"
          icon="close"
          label={`Forget ${label}`}
          onPress={() => void forgetConnection(id)}
        />
      )}
    </li>
  );
}
