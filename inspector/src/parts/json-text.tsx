import { useMemo, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

/** Characters that are coloured; a longer text is shown plain, because each token is an element. */
const maxColoured = 60_000;
/** Characters that are shown before the person asks for the rest. */
const maxShown = 200_000;

/** A JSON value as indented text, with each kind of token in its own colour. */
export function JsonText({ value, label = "JSON" }: { readonly value: unknown; readonly label?: string }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "undefined", [value]);
  return <CodeText text={text} label={label} isJson />;
}

interface CodeTextProps {
  readonly text: string;
  readonly label: string;
  readonly isJson?: boolean;
}

export function CodeText({ text, label, isJson = false }: CodeTextProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, maxShown);
  return (
    <div class="code">
      <div class="code-tools">
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys. */}
      <section class="code-text" tabIndex={0} aria-label={label}>
        <pre>{isJson && shown.length <= maxColoured ? colour(shown) : shown}</pre>
      </section>
      {shown.length < text.length && (
        <Button look="quiet" onPress={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </Button>
      )}
    </div>
  );
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

function colour(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const [whole, string, colon] = match;
    const kind = string ? (colon ? "key" : "string") : match[3] ? "number" : "word";
    parts.push(<span class={`json-${kind}`}>{string && colon ? string : whole}</span>);
    if (string && colon) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}
