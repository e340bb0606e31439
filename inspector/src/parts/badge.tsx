import type { ComponentChildren } from "preact";

export type Tone = "plain" | "good" | "warn" | "bad" | "info";

export function Badge({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A sentence that stands out: an error, a warning, a fact worth reading first. */
export function Note({ tone = "info", children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <div class={`note ${tone}`} role={tone === "bad" ? "alert" : "note"}>
      {children}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children && <div class="soft small">{children}</div>}
    </div>
  );
}
