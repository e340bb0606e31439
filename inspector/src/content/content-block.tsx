import { useMemo, useState } from "preact/hooks";
import { escapeInvisible } from "../../../src/client/trust/definition-diff.ts";
import { isNestedDeeper } from "../../../src/lib/json-depth.ts";
import { toPrintableLine } from "../../../src/lib/text/printable.ts";
import type { ContentBlock } from "../../../src/protocol/model/content.ts";
import type { ResourceContents } from "../../../src/protocol/model/resource.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { toBytes } from "../parts/format.ts";
import { CodeText, JsonText } from "../parts/json-text.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { hrefOf } from "../state/route.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { Media } from "./media.tsx";
import { parseCsv } from "./parse-csv.ts";
import { TableView } from "./table-view.tsx";
import { UrlText } from "./url-text.tsx";

/** Characters that are read as Markdown or JSON; a longer text is shown as it is. */
export const maxRead = 100_000;
/** Levels of JSON that are indented: each adds blanks to all lines below it. */
const maxLevels = 200;

const maxLinks = 500;
const maxMarks = 10_000;

interface ContentBlockProps {
  readonly block: ContentBlock;
  /** The server that a link to a resource belongs to. */
  readonly connection?: string | undefined;
}

export function ContentBlockView({ block, connection }: ContentBlockProps) {
  switch (block.type) {
    case "text":
      return <TextView text={block.text} />;
    case "image":
      return <Media data={block.data} mimeType={block.mimeType} label="Image from the server" />;
    case "audio":
      return <Media data={block.data} mimeType={block.mimeType} label="Sound from the server" />;
    case "resource_link":
      return (
        <div class="card">
          <div class="row">
            <strong>{toPrintableLine(String(block.title ?? block.name))}</strong>
            <span class="faint tiny">resource link{block.mimeType && `, ${block.mimeType}`}</span>
          </div>
          {block.description && <p class="small soft">{block.description}</p>}
          <UrlText url={block.uri} kind="resource" />
          {connection && (
            <a class="button quiet" href={hrefOf(["server", connection, "resources", block.uri])}>
              Read it from the server
            </a>
          )}
        </div>
      );
    case "resource":
      return <ResourceView contents={block.resource} />;
    default:
      // A server may send a kind that no revision has.
      return <JsonText value={block} label="Content of an unknown kind" />;
  }
}

export function ResourceView({ contents }: { readonly contents: ResourceContents }) {
  const { uri, mimeType = "" } = contents;
  return (
    <div class="card">
      <div class="row apart">
        <code class="wrap small">{escapeInvisible(uri)}</code>
        <span class="faint tiny">{mimeType}</span>
      </div>
      {"text" in contents ? (
        <TextView text={contents.text} mimeType={mimeType} />
      ) : (
        <Media data={contents.blob} mimeType={mimeType} label={`Contents of ${uri}`} />
      )}
    </div>
  );
}

type Reading = "table" | "markdown" | "json" | "plain";

const readingTitles: Readonly<Record<Reading, string>> = {
  table: "Table",
  markdown: "Markdown",
  json: "JSON",
  plain: "Plain",
};

function TextView({ text, mimeType = "" }: { readonly text: string; readonly mimeType?: string }) {
  const table = useMemo(
    () => (text.length > maxRead ? undefined : parseCsv(text, mimeType)),
    [text, mimeType],
  );
  const readings = useMemo(
    () => (table ? (["table", "plain"] as const) : readingsOf(text, mimeType)),
    [table, text, mimeType],
  );
  const [chosen, setChosen] = useState<Reading>();
  const reading = chosen && readings.includes(chosen) ? chosen : (readings[0] ?? "plain");
  return (
    <div class="text-view">
      <div class="text-tools">
        {readings.length > 1 && (
          <Tabs
            label="How to read the text"
            tabs={readings.map((name) => ({ name, title: readingTitles[name] }))}
            chosen={reading}
            onChoose={setChosen}
          />
        )}
        {text.length > 2000 && <span class="tiny faint">{toBytes(text.length)}</span>}
        <CopyButton text={text} label="Copy the text" />
      </div>
      {reading === "table" && table && <TableView table={table} label="Text as a table" />}
      {reading === "markdown" && <MarkdownView text={text} />}
      {reading === "json" && <JsonText value={JSON.parse(text)} label="Text as JSON" />}
      {reading === "plain" &&
        (text.length > 4000 ? <CodeText text={text} label="Text" /> : <p class="plain-text">{text}</p>)}
    </div>
  );
}

function readingsOf(text: string, mimeType: string): readonly Reading[] {
  if (text.length > maxRead) return ["plain"];
  if (isJson(text)) return ["json", "plain"];
  const isMarked = mimeType === "text/markdown" || /[*_`#>|[\]]|^\s*[-\d]|https?:/m.test(text);
  if (isMarked && isDrawnQuickly(text)) return ["markdown", "plain"];
  return ["plain"];
}

/** False for a text with so many links, cells or other marks that the page would stand still. */
function isDrawnQuickly(text: string): boolean {
  const links = text.match(/\]\(|https?:\/\//g)?.length ?? 0;
  const others = text.match(/[|\n]|[*_`]+/g)?.length ?? 0;
  return links <= maxLinks && others <= maxMarks;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return !isNestedDeeper(JSON.parse(text), maxLevels);
  } catch {
    return false;
  }
}
