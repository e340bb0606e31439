import { effect, signal } from "@preact/signals";
import { recall, remember } from "./remember.ts";

/** `undefined` follows the system. */
export const theme = signal<"light" | "dark" | undefined>(recall("theme"));

effect(() => {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
  else delete document.documentElement.dataset.theme;
});

export function switchTheme(): void {
  const isDark = theme.value ? theme.value === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  theme.value = isDark ? "light" : "dark";
  remember("theme", theme.value);
}
