import type { RequestResult } from "../../../../../src/inspector/messages.ts";
import { toPrintableLine } from "../../../../../src/lib/text/printable.ts";
import type { Prompt } from "../../../../../src/protocol/model/prompt.ts";
import { ContentBlockView } from "../../../content/content-block.tsx";
import { Button } from "../../../parts/button.tsx";
import { FailureNote } from "../../../parts/failure-note.tsx";
import { Form } from "../../../parts/form.tsx";
import { toDuration } from "../../../parts/format.ts";
import { JsonText } from "../../../parts/json-text.tsx";
import { More } from "../../../parts/more.tsx";
import { run, useOutcome } from "../../../state/calls.ts";
import { useKept } from "../../../state/kept.ts";
import { recall, remember } from "../../../state/remember.ts";
import { commandWithoutSecrets, membersWithoutSecrets } from "../../../state/without-secrets.ts";
import { CompletedInput } from "../completed-input.tsx";
import type { ServerViewProps } from "../server-page.tsx";

type Values = Readonly<Record<string, string>>;

export function PromptDetail({ connection, prompt }: ServerViewProps & { readonly prompt: Prompt }) {
  const memory = `prompt ${commandWithoutSecrets(connection.label)} ${prompt.name}`;
  const part = `prompt ${connection.id} ${prompt.name}`;
  const [typed, setTyped] = useKept<Values | undefined>(`values of ${part}`, undefined);
  const values = typed ?? recall<Values>(memory) ?? {};
  const [outcome, setOutcome] = useOutcome<RequestResult<"get-prompt">>(part);
  const get = () => {
    remember(memory, membersWithoutSecrets(values));
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
        <h2>{toPrintableLine(prompt.title ?? prompt.name)}</h2>
        <code class="small">{prompt.name}</code>
        {prompt.description && <p class="soft plain-text">{prompt.description.slice(0, 2000)}</p>}
      </header>
      <Form onSubmit={get}>
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
            onChange={(value) => setTyped({ ...values, [name]: value })}
          />
        ))}
        <div>
          <Button look="main" icon="play" type="submit" disabled={outcome.state === "running"}>
            Get the prompt
          </Button>
        </div>
      </Form>
      {outcome.state === "running" && <progress aria-label="Progress of the prompt" />}
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      {outcome.state === "done" && <Messages connection={connection.id} {...outcome.result} />}
    </div>
  );
}

type MessagesProps = RequestResult<"get-prompt"> & { readonly connection: string };

function Messages({ connection, result, ms }: MessagesProps) {
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
            <ContentBlockView block={content} connection={connection} />
          </li>
        ))}
      </ol>
      <More title="As JSON">{() => <JsonText value={result} label="Prompt as JSON" />}</More>
    </section>
  );
}
