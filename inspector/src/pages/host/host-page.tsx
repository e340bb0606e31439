import { useEffect, useState } from "preact/hooks";
import type { ConversationStep, ConversationView } from "../../../../src/inspector/messages/conversation.ts";
import type { Failure } from "../../../../src/inspector/messages/reply.ts";
import { Empty } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { onEvent, request, toFailure } from "../../state/link.ts";
import { hrefOf } from "../../state/route.ts";
import { openConnections } from "../../state/session.ts";
import { TokenChart } from "../judge/report-view.tsx";
import { Conversation } from "./conversation.tsx";
import { ModelEditor } from "./model-editor.tsx";
import { ToolSearch } from "./tool-search.tsx";

interface Opened {
  readonly conversation: string;
  readonly view: ConversationView;
}

/** Several servers behind one host, and a scripted model that talks to them. */
export function HostPage() {
  const [chosen, setChosen] = useState<readonly string[]>();
  const [opened, setOpened] = useState<Opened>();
  const [steps, setSteps] = useState<readonly ConversationStep[]>([]);
  const [failure, setFailure] = useState<Failure>();
  const ids = chosen ?? openConnections.value.map(({ id }) => id);
  useEffect(
    () =>
      onEvent("conversation-step", ({ conversation, step }) => {
        if (conversation === opened?.conversation)
          setSteps((all) => [...all.filter(({ index }) => index !== step.index), step]);
      }),
    [opened],
  );
  const start = () => {
    setFailure(undefined);
    setSteps([]);
    if (opened)
      request("close-conversation", { conversation: opened.conversation }).catch(() => setOpened(undefined));
    request("open-conversation", { connections: ids }).then(setOpened, (error: unknown) =>
      setFailure(toFailure(error)),
    );
  };
  const toggle = (id: string) => setChosen(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]);
  return (
    <div class="page wide host">
      <header class="stack tight">
        <h1>Host</h1>
        <p class="soft">
          What a model sees of your servers, what it calls, what you are asked, and what each step costs.
        </p>
      </header>
      {openConnections.value.length === 0 ? (
        <Empty title="No server is connected">
          <a href={hrefOf(["connect"])}>Connect to one or more first.</a>
        </Empty>
      ) : (
        <div class="panel row wraps">
          {openConnections.value.map(({ id, label }) => (
            <label class="check" key={id}>
              <input type="checkbox" checked={ids.includes(id)} onChange={() => toggle(id)} />
              {label}
            </label>
          ))}
          <span class="grow" />
          <Button look="main" disabled={ids.length === 0} onPress={start}>
            {opened ? "Begin anew" : "Begin a conversation"}
          </Button>
        </div>
      )}
      {failure && <FailureNote failure={failure} />}
      <div class="host-columns">
        <div class="stack">
          {opened && (
            <Conversation
              conversation={opened.conversation}
              steps={steps}
              onSteps={(all) => setSteps((before) => (all.length > before.length ? all : before))}
            />
          )}
          <ModelEditor />
        </div>
        {opened && (
          <div class="stack">
            <ToolSearch conversation={opened.conversation} />
            <TokenChart tokens={tokensOf(opened.view)} />
          </div>
        )}
      </div>
    </div>
  );
}

function tokensOf({ tools }: ConversationView) {
  return {
    total: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    tools: tools.map(({ tool, tokens }) => ({ tool: tool.name, tokens })),
  };
}
