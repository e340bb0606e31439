import { useState } from "preact/hooks";
import { escapeInvisible } from "../../../../src/client/trust/definition-diff.ts";
import type { Question, RunView } from "../../../../src/inspector/messages/question.ts";
import type { ElicitUrl } from "../../../../src/protocol/model/elicitation.ts";
import { UrlText } from "../../content/url-text.tsx";
import { Button } from "../../parts/button.tsx";
import { Form } from "../../parts/form.tsx";
import { Input } from "../../parts/input.tsx";
import { recall, remember } from "../../state/remember.ts";
import { hasSecret } from "../../state/without-secrets.ts";
import type { AnswerProps } from "./form-question.tsx";

export function UrlQuestion({ ask, onAnswer }: AnswerProps & { readonly ask: ElicitUrl }) {
  const end = (action: "accept" | "decline" | "cancel") => onAnswer({ kind: "form", result: { action } });
  return (
    <div class="stack">
      <p class="plain-text">{ask.message}</p>
      <UrlText url={ask.url} />
      <div class="row wraps">
        <Button look="main" onPress={() => end("accept")}>
          I agree to visit it
        </Button>
        <Button onPress={() => end("decline")}>Decline</Button>
        <Button look="quiet" onPress={() => end("cancel")}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** A program is shown whole before it runs: each argument, each variable, the folder. So is the address of a file. */
export function RunQuestion({ run, onAnswer }: AnswerProps & { readonly run: RunView }) {
  const decide = (isAllowed: boolean) => onAnswer({ kind: "decide", isAllowed });
  return (
    <div class="stack">
      {run.kind === "module" && (
        <p>
          The module <code class="wrap">{escapeInvisible(run.path)}</code> would be loaded.
        </p>
      )}
      {run.kind === "command" && <CommandFacts run={run} />}
      {run.kind === "url" && <UrlFacts run={run} />}
      <p class="small soft">
        {run.kind === "url"
          ? "The variables are filled in and sent there. Allow only what you trust."
          : "It runs with your rights. Run only what you trust."}
      </p>
      <div class="row">
        <Button look="main" onPress={() => decide(true)}>
          {run.kind === "url" ? "Connect" : "Run it"}
        </Button>
        <Button onPress={() => decide(false)}>
          {run.kind === "url" ? "Do not connect" : "Do not run it"}
        </Button>
      </div>
    </div>
  );
}

function CommandFacts({ run }: { readonly run: Extract<RunView, { readonly kind: "command" }> }) {
  return (
    <div class="run">
      <pre class="command">{escapeInvisible([run.command, ...run.args].map(quote).join(" "))}</pre>
      <table class="facts">
        <tbody>
          <Fact name="Folder" value={run.cwd} />
          {run.file && <Fact name="From" value={run.file} />}
          {Object.entries(run.env).map(([name, value]) => (
            <Fact key={name} name={name} value={value} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function UrlFacts({ run }: { readonly run: Extract<RunView, { readonly kind: "url" }> }) {
  return (
    <div class="run">
      <pre class="command">{[run.url, ...run.lines].map(escapeInvisible).join("\n")}</pre>
      <table class="facts">
        <tbody>
          <Fact name="From" value={run.file} />
        </tbody>
      </table>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <tr>
      <th scope="row" class="mono">
        {escapeInvisible(name)}
      </th>
      <td class="mono wrap">{escapeInvisible(value)}</td>
    </tr>
  );
}

/** Quotes as a shell would, so that the border between two arguments is visible. */
function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

export function LoginQuestion({
  url,
  origin,
  onAnswer,
}: AnswerProps & { readonly url: string; readonly origin: string }) {
  return (
    <div class="stack">
      <p>
        The server wants a login at <strong class="mono">{origin}</strong>. Open the address and log in there.
        This question closes by itself.
      </p>
      <UrlText url={url} isMain />
      <div class="row">
        <Button onPress={() => onAnswer({ kind: "decide", isAllowed: false })}>Give up the login</Button>
      </div>
    </div>
  );
}

export function RootsQuestion({ onAnswer }: AnswerProps) {
  const [text, setText] = useState(recall<string>("roots") ?? "");
  const answer = () => {
    if (!hasSecret(text)) remember("roots", text);
    const uris = text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    onAnswer({
      kind: "roots",
      roots: uris.map((uri) => ({ uri: uri.startsWith("/") ? `file://${uri}` : uri })),
    });
  };
  return (
    <Form onSubmit={answer}>
      <label class="stack tight">
        <span class="small">One folder per line, such as /home/me/project. None is an answer too.</span>
        <textarea
          class="mono"
          rows={3}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="row">
        <Button look="main" type="submit">
          Answer
        </Button>
        <Button onPress={() => onAnswer({ kind: "refuse" })}>Refuse</Button>
      </div>
    </Form>
  );
}

type InputAsk = (Question & { kind: "input" })["input"];

export function InputQuestion({ input, onAnswer }: AnswerProps & { readonly input: InputAsk }) {
  const [value, setValue] = useState(input.default ?? "");
  const common = { value, "aria-label": input.description ?? input.id };
  return (
    <Form onSubmit={() => onAnswer({ kind: "input", value })}>
      <p>{input.description ?? input.id}</p>
      {input.options ? (
        <select {...common} onChange={(event) => setValue(event.currentTarget.value)}>
          {input.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : (
        <Input
          {...common}
          type={input.isSecret ? "password" : "text"}
          autocomplete="off"
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      )}
      <div class="row">
        <Button look="main" type="submit">
          Use it
        </Button>
        <Button onPress={() => onAnswer({ kind: "refuse" })}>Refuse</Button>
      </div>
    </Form>
  );
}
