import { useMemo } from "preact/hooks";
import { type Block, parseMarkdown, type Span } from "./markdown.ts";
import { UrlText } from "./url-text.tsx";

export function MarkdownView({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return <div class="markdown">{blocks.map(toElement)}</div>;
}

function toElement(block: Block) {
  switch (block.kind) {
    case "heading":
      return <p class={`md-heading level-${block.level}`}>{block.spans.map(toInline)}</p>;
    case "paragraph":
      return <p>{block.spans.map(toInline)}</p>;
    case "code":
      return (
        <pre class="md-code">
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote>{block.blocks.map(toElement)}</blockquote>;
    case "list":
      return <List block={block} />;
    case "table":
      return <Table rows={block.rows} />;
    case "rule":
      return <hr />;
  }
}

function List({ block }: { readonly block: Block & { kind: "list" } }) {
  const items = block.items.map((spans, at) => <li key={at}>{spans.map(toInline)}</li>);
  return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

function Table({ rows: [head, ...rows] }: { readonly rows: (Block & { kind: "table" })["rows"] }) {
  return (
    <div class="table-box">
      <table>
        <thead>
          <tr>
            {head?.map((cell) => (
              <th>{cell.map(toInline)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td>{cell.map(toInline)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** An image of a text is never loaded: it would tell its host who reads here, and when. */
function toInline(span: Span) {
  switch (span.kind) {
    case "code":
      return <code>{span.text}</code>;
    case "strong":
      return <strong>{span.text}</strong>;
    case "emphasis":
      return <em>{span.text}</em>;
    case "link":
    case "image":
      return (
        <>
          {span.text !== span.url && span.text} <UrlText url={span.url} kind={span.kind} />
        </>
      );
    default:
      return span.text;
  }
}
