import { useMemo, useState } from "preact/hooks";
import type { HttpExchangeView, WireEntry, WireWarning } from "../../../src/inspector/messages/wire.ts";
import { isNestedDeeper } from "../../../src/lib/json-depth.ts";
import { Badge, Note } from "../parts/badge.tsx";
import { FailureNote } from "../parts/failure-note.tsx";
import { toBytes, toClock, toDuration } from "../parts/format.ts";
import { CodeText, JsonText } from "../parts/json-text.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { hrefOf, setQuery } from "../state/route.ts";
import { connectionOf } from "../state/session.ts";
import { useRequest } from "../state/use-request.ts";
import { titleOf } from "./entry-row.tsx";

type Look = "pretty" | "raw" | "http" | "understood";

/** One message with everything that is known about it. */
export function EntryDetail({ seq }: { readonly seq: number }) {
  const { result, failure } = useRequest("read-wire-entry", { seq });
  const [chosen, setChosen] = useState<Look>("pretty");
  if (failure) return <FailureNote failure={failure} />;
  if (!result) return null;
  const { entry, text, http } = result;
  const look = chosen === "http" && !http ? "pretty" : chosen;
  const looks: readonly (readonly [Look, string])[] = [
    ["pretty", "Pretty"],
    ["raw", "Raw"],
    ...(http ? ([["http", "HTTP"]] as const) : []),
    ["understood", "Understood"],
  ];
  return (
    <article class="stack detail" aria-label={`Message ${seq}`}>
      <header class="stack tight">
        <h2 class="mono wrap">{titleOf(entry)}</h2>
        <div class="row wraps small soft">
          <Badge tone={entry.kind === "error" || entry.kind === "invalid" ? "bad" : "plain"}>
            {entry.kind}
          </Badge>
          <span class={entry.direction}>
            {entry.direction === "sent" ? "client → server" : "server → client"}
          </span>
          <Owner connection={entry.connection} />
          <span class="number">{toClock(entry.at)}</span>
          <span class="number">{toBytes(entry.bytes)}</span>
          {entry.ms !== undefined && <span class="number">answered after {toDuration(entry.ms)}</span>}
          <Pair entry={entry} />
        </div>
      </header>
      {entry.warnings.map((warning) => (
        <Warning key={warning.message} warning={warning} />
      ))}
      <Tabs
        label="How to show the message"
        tabs={looks.map(([name, title]) => ({ name, title }))}
        chosen={look}
        onChoose={setChosen}
      />
      {look === "pretty" && <Pretty text={text} />}
      {look === "raw" && <CodeText text={text} label="Message as it was on the wire" />}
      {look === "http" && http && <HttpView http={http} />}
      {look === "understood" && <Understood entry={entry} />}
    </article>
  );
}

function Owner({ connection: id }: Pick<WireEntry, "connection">) {
  const connection = connectionOf(id);
  return connection ? <a href={hrefOf(["server", id, "about"])}>{connection.label}</a> : null;
}

function Pair({ entry }: { readonly entry: WireEntry }) {
  const { pair } = entry;
  if (pair === undefined) return entry.kind === "request" ? <span class="warn">no answer yet</span> : null;
  return (
    <button type="button" class="button quiet" onClick={() => setQuery({ message: String(pair) })}>
      {entry.kind === "request" ? "its answer" : "its request"}: {pair}
    </button>
  );
}

function Warning({ warning }: { readonly warning: WireWarning }) {
  return (
    <Note tone="warn">
      <p>{warning.message}</p>
      <p class="small">
        The rule:{" "}
        <a href={warning.page} target="_blank" rel="noopener noreferrer" class="wrap">
          {warning.page}
        </a>
      </p>
    </Note>
  );
}

/** Levels that are indented: beyond them the indentation takes more room than the text. */
const maxLevels = 160;

function Pretty({ text }: { readonly text: string }) {
  const value = useMemo(() => parse(text), [text]);
  const isTooDeep = useMemo(() => isNestedDeeper(value, maxLevels), [value]);
  if (value !== undefined && !isTooDeep) return <JsonText value={value} label="Message" />;
  return (
    <>
      {isTooDeep && (
        <Note tone="warn">It has more levels than can be indented, and is shown as it came.</Note>
      )}
      <CodeText text={text} label="Message" />
    </>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is not JSON is shown as it came.
    return;
  }
}

function HttpView({ http }: { readonly http: HttpExchangeView }) {
  return (
    <section class="stack" aria-label="HTTP">
      <p class="mono small wrap">
        <strong>{http.method}</strong> {http.url}
      </p>
      <Headers title="Request headers" headers={http.requestHeaders} />
      {http.failure && <Note tone="bad">{http.failure}</Note>}
      {http.status !== undefined && (
        <p class="mono small">
          <Badge tone={http.status < 400 ? "good" : "bad"}>
            {http.status} {http.statusText}
          </Badge>
          {http.headersMs !== undefined && (
            <span class="soft"> headers after {toDuration(http.headersMs)}</span>
          )}
        </p>
      )}
      <Headers title="Response headers" headers={http.responseHeaders} />
    </section>
  );
}

function Headers({
  title,
  headers,
}: {
  readonly title: string;
  readonly headers: HttpExchangeView["requestHeaders"];
}) {
  return (
    <div class="table-box">
      <table class="facts">
        <caption>{title}</caption>
        <tbody>
          {headers.map(({ name, value, isMasked }) => (
            <tr key={`${name} ${value}`}>
              <th scope="row" class="mono">
                {name}
              </th>
              <td class="mono wrap">{isMasked ? <span class="faint">{value} (masked)</span> : value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The message as the library read it. */
function Understood({ entry }: { readonly entry: WireEntry }) {
  const connection = connectionOf(entry.connection);
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ["Server", connection?.label ?? entry.connection],
    ["Revision", connection?.revision],
    ["Transport", connection?.transport],
    ["Kind", entry.kind],
    ["Method", entry.method],
    ["Name", entry.name],
    ["Id", entry.rpcId === undefined ? undefined : JSON.stringify(entry.rpcId)],
    ["Error code", entry.errorCode],
    ["Belongs to message", entry.pair],
    ["Latency", entry.ms === undefined ? undefined : toDuration(entry.ms)],
    ["Size", toBytes(entry.bytes)],
  ];
  return (
    <table class="facts">
      <caption>What the library understood</caption>
      <tbody>
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="mono wrap">{value}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}
