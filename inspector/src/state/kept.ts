import { signal } from "@preact/signals";

/** Values that the page keeps; those that were set longest ago go first. */
const maxKept = 100;
const kept = signal<ReadonlyMap<string, unknown>>(new Map());

/** State that outlives the part of the page which shows it, until the page is loaded again. */
export function useKept<Value>(
  name: string,
  initial: Value,
): readonly [value: Value, set: (value: Value) => void] {
  const set = (value: Value) => {
    const others = [...kept.value].filter(([other]) => other !== name);
    kept.value = new Map([...others.slice(1 - maxKept), [name, value]]);
  };
  return [kept.value.has(name) ? (kept.value.get(name) as Value) : initial, set];
}
