import type { Locator } from "playwright-core";

/** As long as everything else that is waited for in a page. */
const limitMs = 15_000;

/** Waits until the page shows exactly this many. */
export async function expectCount(found: Locator, count: number): Promise<void> {
  if (count > 0) await found.nth(count - 1).waitFor({ state: "attached" });
  await found.nth(count).waitFor({ state: "detached" });
}

/** Waits until a field has this value. */
export async function expectValue(field: Locator, value: string): Promise<void> {
  await waitForValue(field, { whole: value, parts: [] });
}

/** The value of a field, once it has all of these parts. */
export function valueWith(field: Locator, ...parts: readonly string[]): Promise<string> {
  return waitForValue(field, { whole: undefined, parts });
}

interface Wanted {
  readonly whole: string | undefined;
  readonly parts: readonly string[];
}

function waitForValue(field: Locator, wanted: Wanted): Promise<string> {
  return field.evaluate(
    (element, { whole, parts, limitMs }) =>
      new Promise<string>((resolve, reject) => {
        const endsAt = performance.now() + limitMs;
        const look = () => {
          const { value } = element as HTMLInputElement;
          const isWanted =
            (whole === undefined || value === whole) && parts.every((part) => value.includes(part));
          if (isWanted) resolve(value);
          else if (performance.now() > endsAt)
            reject(new Error(`The field still has ${JSON.stringify(value)}.`));
          else requestAnimationFrame(look);
        };
        look();
      }),
    { ...wanted, limitMs },
  );
}
