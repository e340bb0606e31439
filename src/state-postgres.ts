export type { PostgresPool } from "./state/postgres/database/pg-interface.ts";
export { type PostgresOptions, postgres } from "./state/postgres/postgres-state.ts";
