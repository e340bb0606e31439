/** So many turns of the event loop, as long as they take: for work that is to outlast what others do meanwhile. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setTimeout(resolve));
}
