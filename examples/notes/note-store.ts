import process from "node:process";

/** The notes, by title. */
export interface NoteStore {
  titles(): readonly string[];
  read(title: string): string | undefined;
  /** Returns true if the note is new. */
  write(title: string, body: string): boolean;
  remove(title: string): void;
}

/** The part of `node:sqlite` that the store uses; the types of Node 20 lack it. */
interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => Database;
}

interface Database {
  exec(sql: string): void;
  prepare(sql: string): {
    run(...values: string[]): unknown;
    all(...values: string[]): unknown[];
  };
}

const firstNotes = [
  ["shopping", "Bread, cheese, tomatoes."],
  ["birthday", "Ask Ada what she would like."],
] as const;

/** Opens the notes of a SQLite file. Without a file, and on a Node without SQLite, they are gone with the process. */
export function openNoteStore(file?: string): NoteStore {
  const sqlite = process.getBuiltinModule("node:sqlite") as NodeSqlite | undefined;
  if (sqlite) return createSqliteStore(new sqlite.DatabaseSync(file ?? ":memory:"));
  if (file)
    console.error(
      `The notes are kept in memory, not in ${file}: SQLite is part of Node 22.13 and newer, and this is ${process.version}.`,
    );
  return createMemoryStore();
}

function createMemoryStore(): NoteStore {
  const notes = new Map<string, string>(firstNotes);
  return {
    titles: () => [...notes.keys()],
    read: (title) => notes.get(title),
    write(title, body) {
      const isNew = !notes.has(title);
      notes.set(title, body);
      return isNew;
    },
    remove: (title) => void notes.delete(title),
  };
}

function createSqliteStore(database: Database): NoteStore {
  database.exec("CREATE TABLE IF NOT EXISTS notes (title TEXT UNIQUE NOT NULL, body TEXT NOT NULL)");
  const all = database.prepare("SELECT title FROM notes ORDER BY rowid");
  const one = database.prepare("SELECT body FROM notes WHERE title = ?");
  const put = database.prepare(
    "INSERT INTO notes (title, body) VALUES (?, ?) ON CONFLICT (title) DO UPDATE SET body = excluded.body",
  );
  const drop = database.prepare("DELETE FROM notes WHERE title = ?");
  const store: NoteStore = {
    titles: () => (all.all() as { title: string }[]).map(({ title }) => title),
    read: (title) => (one.all(title) as { body: string }[])[0]?.body,
    write(title, body) {
      const isNew = store.read(title) === undefined;
      put.run(title, body);
      return isNew;
    },
    remove: (title) => void drop.run(title),
  };
  if (store.titles().length === 0) for (const [title, body] of firstNotes) store.write(title, body);
  return store;
}
