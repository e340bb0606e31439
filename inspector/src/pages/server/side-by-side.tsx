import { Empty } from "../../parts/badge.tsx";
import { connectionOf } from "../../state/session.ts";
import { placeOf, readPanes, type ServerPlace } from "./panes.ts";
import { ServerPage } from "./server-page.tsx";

/** Servers beside each other. Those after the first are in the query: `?beside=c2/tools,c3/tools/add`. */
export function SideBySide() {
  const panes = readPanes();
  return (
    <div class="beside" style={{ "--panes": panes.length }}>
      {panes.map(({ id }, at) => (
        <One key={id} id={id} place={placeOf(panes, at)} />
      ))}
    </div>
  );
}

function One({ id, place }: { readonly id: string; readonly place: ServerPlace }) {
  const connection = connectionOf(id);
  if (!connection) return <Empty title="This connection is gone">Connect to the server again.</Empty>;
  return <ServerPage connection={connection} place={place} />;
}
