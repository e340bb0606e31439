/** The steps to the newest schema, oldest first. One that was published never changes. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    version TEXT NOT NULL,
    expires_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX sessions_expiry ON sessions (expires_ms);

  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last INTEGER NOT NULL,
    events INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    expires_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX streams_expiry ON streams (expires_ms);

  -- A place is never used again, so that a reader of a stream that was removed goes on in its successor.
  CREATE TABLE events (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    stream_id INTEGER NOT NULL,
    text TEXT NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX events_of_stream ON events (stream_id, place);

  CREATE TABLE entries (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    expires_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX entries_expiry ON entries (expires_ms);

  CREATE TABLE counters (
    key TEXT PRIMARY KEY,
    count REAL NOT NULL,
    expires_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX counters_expiry ON counters (expires_ms);

  CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    queue TEXT NOT NULL,
    holder TEXT NOT NULL,
    lister TEXT NOT NULL,
    fixed TEXT NOT NULL,
    status TEXT NOT NULL,
    status_message TEXT,
    progress TEXT,
    record TEXT,
    asks TEXT NOT NULL,
    answers TEXT NOT NULL,
    result TEXT,
    error TEXT,
    token INTEGER NOT NULL,
    leased_until_ms REAL NOT NULL,
    waits_since INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    created_us INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    expires_ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX tasks_to_do ON tasks (queue, waits_since) WHERE status = 'working';
  CREATE INDEX tasks_of_holder ON tasks (holder) WHERE status IN ('working', 'input_required');
  CREATE INDEX tasks_of_lister ON tasks (lister, created_us, id);
  CREATE INDEX tasks_changed ON tasks (changed);
  CREATE INDEX tasks_expiry ON tasks (expires_ms);

  -- Microseconds since 1970 that never stand still: each change of a task takes the next.
  CREATE TABLE clock (tick INTEGER NOT NULL) STRICT;
  INSERT INTO clock VALUES (0);
  `,
  `
  CREATE INDEX tasks_ended ON tasks (holder, changed, expires_ms) WHERE status NOT IN ('working', 'input_required');
  `,
];
