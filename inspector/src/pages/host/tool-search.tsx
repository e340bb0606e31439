import { useState } from "preact/hooks";
import { FailureNote } from "../../parts/failure-note.tsx";
import { useRequest } from "../../state/use-request.ts";

/** What a search of the host returns for the words that a model would use. */
export function ToolSearch({ conversation }: { readonly conversation: string }) {
  const [query, setQuery] = useState("");
  const { result, failure } = useRequest("search-tools", query.trim() ? { conversation, query } : undefined);
  return (
    <section class="card stack" aria-label="Tool search">
      <h2>What a search returns</h2>
      <input
        type="search"
        aria-label="Search the tools as a model would"
        placeholder="search as a model would"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      {failure && <FailureNote failure={failure} />}
      {query.trim() && result && (
        <ol class="rows">
          {result.found.slice(0, 20).map(({ name, server, description, score }) => (
            <li key={name} class="stack tight">
              <div class="row">
                <code class="grow clip">{name}</code>
                <span class="tiny faint">{server}</span>
                <span class="tiny faint number">{score.toFixed(2)}</span>
              </div>
              <span class="small soft clip">{description}</span>
            </li>
          ))}
          {result.found.length === 0 && <li class="soft small">Nothing is found.</li>}
        </ol>
      )}
    </section>
  );
}
