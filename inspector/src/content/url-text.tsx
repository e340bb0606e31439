import { useState } from "preact/hooks";
import { escapeInvisible } from "../../../src/client/trust/definition-diff.ts";
import { CopyButton } from "../parts/copy-button.tsx";

interface UrlTextProps {
  readonly url: string;
  readonly kind?: "link" | "image" | "resource";
  /** Opening it is what the person came for. */
  readonly isMain?: boolean;
}

/** The parts of a web address as a browser reads it, so that its host stands out; anything else is only a text. */
function partsOf(
  url: string,
): { readonly before: string; readonly host: string; readonly after: string } | undefined {
  if (!URL.canParse(url)) return;
  const { href, protocol, host } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return;
  // A user before the host may look like the host.
  const before = /^https?:\/\/(?:[^/?#]*@)?/.exec(href)?.[0] ?? "";
  return { before, host, after: href.slice(before.length + host.length) };
}

/**
 * An address that a server gave: shown whole, with its host in bold. It opens only after two decisions, in a tab that
 * knows nothing of this page.
 */
export function UrlText({ url, kind = "link", isMain = false }: UrlTextProps) {
  const [isAsked, setAsked] = useState(false);
  const parts = partsOf(url);
  return (
    <span class="url">
      {kind === "image" && <span class="faint tiny">image, not loaded: </span>}
      {parts ? (
        <span class="mono wrap">
          {parts.before}
          <strong>{parts.host}</strong>
          {parts.after}
        </span>
      ) : (
        <span class="mono wrap">{escapeInvisible(url)}</span>
      )}
      <CopyButton text={url} label="Copy the address" />
      {parts && !isAsked && (
        <button type="button" class={`button ${isMain ? "main" : "quiet"}`} onClick={() => setAsked(true)}>
          Open…
        </button>
      )}
      {parts && isAsked && (
        <a
          class={`button ${isMain ? "main" : "plain"}`}
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          onClick={() => setAsked(false)}
        >
          Open {parts.host} in a new tab
        </a>
      )}
    </span>
  );
}
