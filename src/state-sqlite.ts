export { type SqliteOptions, sqlite } from "./state/sqlite/sqlite-state.ts";
