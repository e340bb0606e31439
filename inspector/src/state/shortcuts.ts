import { signal } from "@preact/signals";
import { go, route } from "./route.ts";
import { connections } from "./session.ts";

export const isHelpOpen = signal(false);

/** Letters after `g`, and where they lead. */
export const places: Readonly<Record<string, readonly [title: string, path: () => readonly string[]]>> = {
  c: ["Connect", () => ["connect"]],
  t: ["Tools", () => server("tools")],
  r: ["Resources", () => server("resources")],
  p: ["Prompts", () => server("prompts")],
  k: ["Tasks", () => server("tasks")],
  l: ["Live", () => server("live")],
  w: ["Wire", () => ["wire"]],
  v: ["Five revisions", () => ["revisions"]],
  e: ["Recordings", () => ["recordings"]],
  j: ["Judge", () => ["judge"]],
  h: ["Host", () => ["host"]],
};

export const keys: readonly (readonly [keys: string, does: string])[] = [
  ["/", "Search in this view"],
  ["Ctrl Enter", "Run the form, or send the answer"],
  ["Enter", "In a field of one line: the same, if all values fit"],
  ["g, then a letter", "Go to a view"],
  ["?", "Show this help"],
  ["Esc", "Close what is open"],
];

function server(view: string): readonly string[] {
  const [kind, id] = route.value.path;
  const chosen = kind === "server" && id ? id : connections.value[0]?.id;
  return chosen ? ["server", chosen, view] : ["connect"];
}

/** Tells the key that sends a form from any of its fields. */
export function isSendKey({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return key === "Enter" && (ctrlKey || metaKey);
}

/** Tells Enter in a field of one line, which can mean nothing but that the form is ready. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  const { target } = event;
  const isLine =
    target instanceof HTMLInputElement && ["text", "number", "date", "password"].includes(target.type);
  return event.key === "Enter" && isLine && !event.isComposing && !event.shiftKey && !event.altKey;
}

let isGoing = false;

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const place = places[event.key];
    if (isGoing && place) go(place[1]());
    else if (event.key === "?") isHelpOpen.value = !isHelpOpen.value;
    else if (event.key === "/") focusSearch(event);
    isGoing = event.key === "g";
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
}
