import { useState } from "preact/hooks";
import type { ConversationStep } from "../../../../src/inspector/messages/conversation.ts";
import type { RequestResult } from "../../../../src/inspector/messages.ts";
import { ContentBlockView, maxRead } from "../../content/content-block.tsx";
import { MarkdownView } from "../../content/markdown-view.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { toDuration } from "../../parts/format.ts";
import { JsonText } from "../../parts/json-text.tsx";
import { type Outcome, run } from "../../state/calls.ts";

interface ConversationProps {
  readonly conversation: string;
  readonly steps: readonly ConversationStep[];
  readonly onSteps: (steps: readonly ConversationStep[]) => void;
}

export function Conversation({ conversation, steps, onSteps }: ConversationProps) {
  const [text, setText] = useState("");
  const [outcome, setOutcome] = useState<Outcome<RequestResult<"say">>>({ state: "idle" });
  const say = () => {
    if (text.trim() === "") return;
    setText("");
    void run("say", { conversation, text }, "the model", (next) => {
      setOutcome(next);
      if (next.state === "done") onSteps(next.result.steps);
    });
  };
  const total = steps.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <section class="card stack" aria-label="Conversation">
      <div class="row">
        <h2 class="grow">Conversation</h2>
        <span class="small soft number">{total.toLocaleString("en")} tokens</span>
      </div>
      <ol class="messages" aria-live="polite">
        {steps.map((step) => (
          <Step key={step.index} step={step} />
        ))}
      </ol>
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          say();
        }}
      >
        <input
          type="text"
          class="grow"
          aria-label="Say something to the model"
          placeholder="Say something to the model"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Button look="main" type="submit" disabled={outcome.state === "running"}>
          Say
        </Button>
      </form>
    </section>
  );
}

function Step({ step }: { readonly step: ConversationStep }) {
  return (
    <li class={step.kind === "user" ? "user" : "assistant"}>
      <div class="row tiny faint">
        <span>{step.kind}</span>
        {step.kind === "model" && step.rule !== undefined && <Badge>rule {step.rule + 1}</Badge>}
        {(step.kind === "call" || step.kind === "result") && <code>{step.tool}</code>}
        {step.kind === "call" && step.server && <Badge tone="info">{step.server}</Badge>}
        <span class="grow" />
        {step.ms !== undefined && <span class="number">{toDuration(step.ms)}</span>}
        <span class="number">{step.tokens.toLocaleString("en")} tokens</span>
      </div>
      <StepBody step={step} />
    </li>
  );
}

function StepBody({ step }: { readonly step: ConversationStep }) {
  switch (step.kind) {
    case "user":
      return <p class="plain-text">{step.text}</p>;
    case "model":
      return step.text.length > maxRead ? (
        <p class="plain-text">{step.text}</p>
      ) : (
        <MarkdownView text={step.text} />
      );
    case "call":
      return <JsonText value={step.arguments} label={`Arguments of ${step.tool}`} />;
    case "result":
      return (
        <>
          {step.result.isError && <Badge tone="bad">tool error</Badge>}
          {step.result.content.slice(0, 50).map((block, at) => (
            <ContentBlockView key={at} block={block} />
          ))}
        </>
      );
    case "asked":
      return <p class="warn">You were asked: {step.what}</p>;
  }
}
