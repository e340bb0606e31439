import { useState } from "preact/hooks";
import type { RequestResult } from "../../../../src/inspector/messages.ts";
import type { Prompt } from "../../../../src/protocol/model/prompt.ts";
import { ContentBlockView } from "../../content/content-block.tsx";
import { Empty } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toDuration } from "../../parts/format.ts";
import { JsonText } from "../../parts/json-text.tsx";
import { More } from "../../parts/more.tsx";
import { type Outcome, run } from "../../state/calls.ts";
import { recall, remember } from "../../state/remember.ts";
import { changes } from "../../state/session.ts";
import { useRequest } from "../../state/use-request.ts";
import { CompletedInput } from "./completed-input.tsx";
import { ItemList } from "./item-list.tsx";
import type { ServerViewProps } from "./server-page.tsx";

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

function PromptDetail({ connection, prompt }: ServerViewProps & { readonly prompt: Prompt }) {
  const memory = `prompt ${connection.label} ${prompt.name}`;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(recall(memory) ?? {});
  const [outcome, setOutcome] = useState<Outcome<RequestResult<"get-prompt">>>({ state: "idle" });
  const get = () => {
    remember(memory, values);
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    void run(
      "get-prompt",
      { connection: connection.id, name: prompt.name, arguments: given },
      prompt.name,
      setOutcome,
    );
  };
  return (
    <div class="stack detail">
      <header class="stack tight">
        <h2>{prompt.title ?? prompt.name}</h2>
        <code class="small">{prompt.name}</code>
        {prompt.description && <p class="soft plain-text">{prompt.description.slice(0, 2000)}</p>}
      </header>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          get();
        }}
      >
        {prompt.arguments?.slice(0, 60).map(({ name, description, required }) => (
          <CompletedInput
            key={name}
            connection={connection.id}
            target={{ type: "ref/prompt", name: prompt.name }}
            name={name}
            help={description}
            isRequired={required}
            value={values[name] ?? ""}
            others={values}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <div>
          <Button look="main" icon="play" type="submit">
            Get the prompt
          </Button>
        </div>
      </form>
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      {outcome.state === "done" && <Messages {...outcome.result} />}
    </div>
  );
}

function Messages({ result, ms }: RequestResult<"get-prompt">) {
  return (
    <section class="stack" aria-label="Messages">
      <div class="row small faint">
        <span class="number">{toDuration(ms)}</span>
        {result.description}
      </div>
      <ol class="messages">
        {result.messages.slice(0, 200).map(({ role, content }, at) => (
          <li key={at} class={role}>
            <span class="tiny faint">{role}</span>
            <ContentBlockView block={content} />
          </li>
        ))}
      </ol>
      <More title="As JSON">{() => <JsonText value={result} label="Prompt as JSON" />}</More>
    </section>
  );
}
