/** Things typed earlier, for the next visit. Callers take secrets out first. */
const prefix = "allspeak:";
/** Characters of one remembered value. */
const maxLength = 50_000;
/** Values in all; the oldest go first. */
const maxEntries = 200;

export function recall<Value>(name: string): Value | undefined {
  const text = localStorage.getItem(prefix + name);
  if (text === null) return;
  try {
    return (JSON.parse(text) as { value: Value }).value;
  } catch {
    // Another version of the page may have written it.
    localStorage.removeItem(prefix + name);
  }
}

export function remember(name: string, value: unknown): void {
  const text = JSON.stringify({ at: Date.now(), value });
  if (text.length > maxLength) return;
  try {
    localStorage.setItem(prefix + name, text);
  } catch {
    // The storage is full or forbidden: the page works without memory.
    return;
  }
  forgetOldest();
}

function forgetOldest(): void {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  if (names.length <= maxEntries) return;
  const age = (name: string) => Number(/"at":(\d+)/.exec(localStorage.getItem(name) ?? "")?.[1] ?? 0);
  for (const name of names.sort((one, other) => age(one) - age(other)).slice(0, names.length - maxEntries))
    localStorage.removeItem(name);
}
