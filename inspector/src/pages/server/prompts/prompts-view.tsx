import { Empty } from "../../../parts/badge.tsx";
import { FailureNote } from "../../../parts/failure-note.tsx";
import { changes } from "../../../state/session.ts";
import { useRequest } from "../../../state/use-request.ts";
import { ItemList } from "../item-list.tsx";
import type { ServerViewProps } from "../server-page.tsx";
import { PromptDetail } from "./prompt-detail.tsx";

export function PromptsView({ connection, place }: ServerViewProps) {
  const version = changes.value.filter(
    (line) => line.connection === connection.id && line.change.kind === "prompts",
  ).length;
  const { result, failure } = useRequest("list-prompts", { connection: connection.id }, version);
  const [, chosen] = place.path;
  if (failure) return <FailureNote failure={failure} />;
  if (!result) return <p class="loading soft">Listing the prompts…</p>;
  const prompt = result.items.find(({ name }) => name === chosen);
  return (
    <div class={`split${chosen ? " has-detail" : ""}`}>
      <ItemList
        label="Prompts"
        items={result.items.map(({ name, title, description }) => ({
          id: name,
          title: title ?? name,
          subtitle: description ?? name,
        }))}
        problems={result.problems}
        chosen={chosen}
        onChoose={(name) => place.go(["prompts", name])}
      />
      <div class="split-detail">
        <a class="back" href={place.href(["prompts"])}>
          ← All prompts
        </a>
        {prompt ? (
          <PromptDetail key={prompt.name} connection={connection} place={place} prompt={prompt} />
        ) : (
          <Empty title={result.items.length === 0 ? "This server has no prompts" : "Choose a prompt"} />
        )}
      </div>
    </div>
  );
}
