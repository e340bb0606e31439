import type { InspectedConnection } from "../connections/connection.ts";
import type { Answered } from "../messages/use.ts";
import type { PageCall } from "../session/handler.ts";

/** Does the work, and returns how long it took and which entries of the wire belong to it. */
export async function measure<Value>(
  { id }: InspectedConnection,
  { session: { wire } }: PageCall,
  work: () => Promise<Value>,
): Promise<Answered & { readonly value: Value }> {
  const before = wire.lastSeq;
  const startedAt = performance.now();
  const value = await work();
  const ms = Math.round((performance.now() - startedAt) * 100) / 100;
  const span = wire.spanOf(id, before);
  return { value, ms, ...(span && { wire: span }) };
}
