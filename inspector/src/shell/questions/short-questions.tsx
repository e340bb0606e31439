import { useState } from "preact/hooks";
import type { Question, RunView } from "../../../../src/inspector/messages/question.ts";
import type { ElicitUrl } from "../../../../src/protocol/model/elicitation.ts";
import { UrlText } from "../../content/url-text.tsx";
import { Button } from "../../parts/button.tsx";
import { Input } from "../../parts/input.tsx";
import { recall, remember } from "../../state/remember.ts";
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

/** A program is shown whole before it runs: each argument, each variable, the folder. */
export function RunQuestion({ run, onAnswer }: AnswerProps & { readonly run: RunView }) {
  const decide = (isAllowed: boolean) => onAnswer({ kind: "decide", isAllowed });
  return (
    <div class="stack">
      {run.kind === "module" ? (
        <p>
          The module <code class="wrap">{run.path}</code> would be loaded.
        </p>
      ) : (
        <div class="run">
          <pre class="command">{[run.command, ...run.args].map(quote).join(" ")}</pre>
          <table class="facts">
            <tbody>
              <tr>
                <th scope="row">Folder</th>
                <td class="mono wrap">{run.cwd}</td>
              </tr>
              {run.file && (
                <tr>
                  <th scope="row">From</th>
                  <td class="mono wrap">{run.file}</td>
                </tr>
              )}
              {Object.entries(run.env).map(([name, value]) => (
                <tr key={name}>
                  <th scope="row" class="mono">
                    {name}
                  </th>
                  <td class="mono wrap">{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="small soft">It runs with your rights. Run only what you trust.</p>
      <div class="row">
        <Button look="main" onPress={() => decide(true)}>
          Run it
        </Button>
        <Button onPress={() => decide(false)}>Do not run it</Button>
      </div>
    </div>
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
      <UrlText url={url} />
      <Button onPress={() => onAnswer({ kind: "decide", isAllowed: false })}>Give up the login</Button>
    </div>
  );
}

export function RootsQuestion({ onAnswer }: AnswerProps) {
  const [text, setText] = useState(recall<string>("roots") ?? "");
  const answer = () => {
    remember("roots", text);
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
    <div class="stack">
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
        <Button look="main" onPress={answer}>
          Answer
        </Button>
        <Button onPress={() => onAnswer({ kind: "refuse" })}>Refuse</Button>
      </div>
    </div>
  );
}

type InputAsk = (Question & { kind: "input" })["input"];

export function InputQuestion({ input, onAnswer }: AnswerProps & { readonly input: InputAsk }) {
  const [value, setValue] = useState(input.default ?? "");
  const common = { value, "aria-label": input.description ?? input.id };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ kind: "input", value });
      }}
    >
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
    </form>
  );
}
