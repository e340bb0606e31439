type Clean = () => Promise<void> | void;

const cleaners: Clean[] = [];

/**
 * Takes what must be done when the tests of the running file are over; the last one first.
 *
 * For parts that several files share: a worker loads them once, so a hook at their top would belong to the first file alone.
 */
export function onFileFinished(clean: Clean): void {
  cleaners.unshift(clean);
}

export async function finishFile(): Promise<void> {
  for (const clean of cleaners.splice(0)) await clean();
}
