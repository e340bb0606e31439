import { escapeInvisible } from "../../../../../src/client/trust/definition-diff.ts";
import type { Tool } from "../../../../../src/protocol/model/tool.ts";
import { Badge, Empty } from "../../../parts/badge.tsx";
import { FailureNote } from "../../../parts/failure-note.tsx";
import { changes } from "../../../state/session.ts";
import { useRequest } from "../../../state/use-request.ts";
import { ItemList } from "../item-list.tsx";
import type { ServerViewProps } from "../server-page.tsx";
import { ToolDetail } from "./tool-detail.tsx";

export function ToolsView({ connection, place }: ServerViewProps) {
  const version = changes.value.filter(
    (line) => line.connection === connection.id && line.change.kind === "tools",
  ).length;
  const { result, failure, isLoading } = useRequest("list-tools", { connection: connection.id }, version);
  const [, chosen] = place.path;
  if (failure) return <FailureNote failure={failure} />;
  if (!result) return isLoading ? <p class="loading soft">Listing the tools…</p> : null;
  const tool = result.items.find(({ name }) => name === chosen);
  return (
    <div class={`split${chosen ? " has-detail" : ""}`}>
      <ItemList
        label="Tools"
        items={result.items.map((one) => ({
          id: one.name,
          title: escapeInvisible(one.name),
          subtitle: one.title ?? one.description ?? "",
          mark: <Marks tool={one} />,
        }))}
        problems={result.problems}
        chosen={chosen}
        onChoose={(name) => place.go(["tools", name])}
      />
      <div class="split-detail">
        <a class="back" href={place.href(["tools"])}>
          ← All tools
        </a>
        {tool ? (
          <ToolDetail
            key={`${connection.id} ${tool.name}`}
            connection={connection}
            place={place}
            tool={tool}
          />
        ) : chosen ? (
          <Empty title={`There is no tool "${chosen}"`}>The server may have taken it out.</Empty>
        ) : (
          <Empty title={result.items.length === 0 ? "This server has no tools" : "Choose a tool"} />
        )}
      </div>
    </div>
  );
}

function Marks({ tool }: { readonly tool: Tool }) {
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  return (
    <>
      {readOnlyHint && <Badge tone="good">reads</Badge>}
      {destructiveHint && !readOnlyHint && <Badge tone="warn">destroys</Badge>}
      {tool.execution?.taskSupport === "required" && <Badge>task</Badge>}
    </>
  );
}
