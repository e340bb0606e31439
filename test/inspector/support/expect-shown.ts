import type { Locator } from "playwright-core";

/** Waits until the page shows exactly this many. */
export async function expectCount(found: Locator, count: number): Promise<void> {
  if (count > 0) await found.nth(count - 1).waitFor({ state: "attached" });
  await found.nth(count).waitFor({ state: "detached" });
}

/** Waits until a field has this value. */
export async function expectValue(field: Locator, value: string): Promise<void> {
  await field.evaluate(
    (element, wanted) =>
      new Promise<void>((resolve) => {
        const look = () =>
          (element as HTMLInputElement).value === wanted ? resolve() : void requestAnimationFrame(look);
        look();
      }),
    value,
  );
}

/** The value of a field, once it has all of these parts. */
export function valueWith(field: Locator, ...parts: readonly string[]): Promise<string> {
  return field.evaluate(
    (element, wanted) =>
      new Promise<string>((resolve) => {
        const look = () => {
          const { value } = element as HTMLInputElement;
          if (wanted.every((part) => value.includes(part))) resolve(value);
          else requestAnimationFrame(look);
        };
        look();
      }),
    parts,
  );
}
