import { useState } from "preact/hooks";
import type {
  SamplingContent,
  SamplingRequest,
  SamplingResult,
} from "../../../../src/protocol/model/sampling.ts";
import { ContentBlockView } from "../../content/content-block.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Form } from "../../parts/form.tsx";
import { JsonText } from "../../parts/json-text.tsx";
import { useRequest } from "../../state/use-request.ts";
import type { AnswerProps } from "./form-question.tsx";

interface SamplingQuestionProps extends AnswerProps {
  readonly id: string;
  readonly ask: SamplingRequest;
}

/** The person plays the model; the scripted model's reply is at hand, to be changed and sent. */
export function SamplingQuestion({ id, ask, onAnswer }: SamplingQuestionProps) {
  const { result: suggestion } = useRequest("suggest-sample", { question: id });
  const [typed, setTyped] = useState<string>();
  const suggested = suggestion && textOf(suggestion.result);
  const text = typed ?? suggested ?? "";
  const send = () => {
    const plain: SamplingResult = {
      role: "assistant",
      content: { type: "text", text },
      model: suggestion?.result.model ?? "person",
      stopReason: "endTurn",
    };
    const isAsSuggested = suggestion && text === suggested;
    onAnswer({ kind: "sample", result: isAsSuggested ? suggestion.result : plain });
  };
  return (
    <Form onSubmit={send}>
      {ask.systemPrompt && <p class="small soft plain-text">{ask.systemPrompt.slice(0, 2000)}</p>}
      <ol class="messages">
        {ask.messages.slice(-20).map((message, at) => (
          <li key={at} class={message.role}>
            <span class="tiny faint">{message.role}</span>
            {listOf(message.content).map(toView)}
          </li>
        ))}
      </ol>
      <div class="row wraps">
        <Badge>at most {ask.maxTokens} tokens</Badge>
        {ask.tools && <Badge>{ask.tools.length} tools</Badge>}
        {ask.modelPreferences?.hints?.map(
          ({ name }) => name && <Badge key={name}>{name.slice(0, 60)}</Badge>,
        )}
        {suggestion && (
          <Badge tone="info">
            {suggestion.rule === undefined ? "scripted reply" : `rule ${suggestion.rule + 1}`}
          </Badge>
        )}
      </div>
      <label class="stack tight">
        <span class="small">Reply of the model</span>
        <textarea rows={4} value={text} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <div class="row wraps">
        <Button look="main" type="submit">
          Send the reply
        </Button>
        <Button onPress={() => onAnswer({ kind: "refuse", reason: "The person refused." })}>Refuse</Button>
      </div>
    </Form>
  );
}

function listOf(content: SamplingResult["content"]): readonly SamplingContent[] {
  return Array.isArray(content) ? content : [content as SamplingContent];
}

function toView(content: SamplingContent) {
  if (content.type === "tool_use" || content.type === "tool_result")
    return <JsonText value={content} label={content.type} />;
  return <ContentBlockView block={content} />;
}

function textOf(result: SamplingResult): string {
  return listOf(result.content)
    .map((content) => (content.type === "text" ? content.text : JSON.stringify(content)))
    .join("\n");
}
