import { ConnectPage } from "../pages/connect/connect-page.tsx";
import { HostPage } from "../pages/host/host-page.tsx";
import { JudgePage } from "../pages/judge/judge-page.tsx";
import { RecordingsPage } from "../pages/recordings/recordings-page.tsx";
import { RevisionsPage } from "../pages/revisions/revisions-page.tsx";
import { SideBySide } from "../pages/server/side-by-side.tsx";
import { Empty } from "../parts/badge.tsx";
import { linkState } from "../state/link.ts";
import { route } from "../state/route.ts";
import { connections, isOpened } from "../state/session.ts";
import { WirePage } from "../wire/wire-page.tsx";
import { ActivityBar } from "./activity-bar.tsx";
import { Help } from "./help.tsx";
import { QuestionPanel } from "./question-panel.tsx";
import { Sidebar } from "./sidebar.tsx";

export function App() {
  if (linkState.value === "refused") return <NoSession />;
  return (
    <div class="shell">
      <button type="button" class="skip button" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <Sidebar />
      <main id="main" tabIndex={-1}>
        {linkState.value === "lost" && (
          <div class="lost" role="status">
            The inspector's server is out of reach. The page connects again by itself.
          </div>
        )}
        {isOpened.value && <Page />}
      </main>
      <QuestionPanel />
      <ActivityBar />
      <Help />
    </div>
  );
}

function Page() {
  const [first] = route.value.path;
  switch (first) {
    case "server":
      return <SideBySide />;
    case "wire":
      return <WirePage />;
    case "revisions":
      return <RevisionsPage />;
    case "recordings":
      return <RecordingsPage />;
    case "judge":
      return <JudgePage />;
    case "host":
      return <HostPage />;
    case "connect":
    case undefined:
      return <ConnectPage isFirst={connections.value.length === 0} />;
    default:
      return <Empty title="There is no such view">The address names a view that does not exist.</Empty>;
  }
}

function NoSession() {
  return (
    <main class="alone">
      <Empty title="This tab has no session">
        Open the address that the terminal shows. It works once; after that, open further tabs from this
        browser while the first one is open.
      </Empty>
    </main>
  );
}
