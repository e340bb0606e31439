export type { PostgresPool } from "./state/postgres/pg-interface.ts";
export { type PostgresOptions, postgres } from "./state/postgres/postgres-state.ts";
