import { join } from "node:path";
import { sqlite } from "allspeak/state/sqlite";
import { onTestFinished } from "vitest";
import { describeUnreadableEntries } from "../../contract/unreadable-entries.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

describeUnreadableEntries("SQLite", true, () => {
  const path = join(createTemporaryFolder(), "state.db");
  const openOne = () => {
    const state = sqlite(path, { synchronous: "normal" });
    onTestFinished(() => state.close());
    return state;
  };
  return {
    state: openOne(),
    again: openOne,
    spoil: (kind, id, text) => {
      const [table, column] = kind === "session" ? ["sessions", "body"] : ["tasks", "fixed"];
      edit(path, `UPDATE ${table} SET ${column} = '${text}' WHERE id = '${id}'`);
    },
  };
});

/** Runs statements on a file that states may have open. */
function edit(path: string, sql: string): void {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite") as unknown as {
    DatabaseSync: new (path: string) => { exec(sql: string): void; close(): void };
  };
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA busy_timeout = 5000; ${sql}`);
  database.close();
}
