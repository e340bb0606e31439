export type { NatsConnection } from "./state/nats/jetstream/client.ts";
export { type NatsOptions, nats } from "./state/nats/nats-state.ts";
