/** The steps to the newest schema, oldest first. One that was published never changes. */
export const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
  CREATE TABLE ${schema}.sessions (
    id text COLLATE "C" PRIMARY KEY,
    body text NOT NULL,
    version text NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX sessions_expiry ON ${schema}.sessions (expires_at);

  -- Events up to the floor do not count any more: they were dropped, or the stream had expired.
  CREATE TABLE ${schema}.streams (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    floor bigint NOT NULL,
    last bigint NOT NULL,
    events bigint NOT NULL,
    bytes bigint NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX streams_expiry ON ${schema}.streams (expires_at);

  CREATE TABLE ${schema}.events (
    stream_id bigint NOT NULL REFERENCES ${schema}.streams ON DELETE CASCADE,
    place bigint NOT NULL,
    text text NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (stream_id, place)
  );

  CREATE TABLE ${schema}.entries (
    key text COLLATE "C" PRIMARY KEY,
    value text NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX entries_expiry ON ${schema}.entries (expires_at);

  CREATE TABLE ${schema}.counters (
    key text COLLATE "C" PRIMARY KEY,
    count double precision NOT NULL,
    counted_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX counters_expiry ON ${schema}.counters (expires_at);

  CREATE TABLE ${schema}.tasks (
    id text COLLATE "C" PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    queue text COLLATE "C" NOT NULL,
    holder text COLLATE "C" NOT NULL,
    lister text COLLATE "C" NOT NULL,
    fixed text NOT NULL,
    status text NOT NULL,
    status_message text,
    progress text,
    record text,
    asks text NOT NULL,
    answers text NOT NULL,
    result text,
    error text,
    token bigint NOT NULL,
    changes bigint NOT NULL,
    leased_until timestamptz NOT NULL,
    waits_since timestamptz NOT NULL,
    created_us bigint NOT NULL,
    updated_ms bigint NOT NULL,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX tasks_to_do ON ${schema}.tasks (queue, waits_since) WHERE status = 'working';
  CREATE INDEX tasks_of_holder ON ${schema}.tasks (holder) WHERE status IN ('working', 'input_required');
  CREATE INDEX tasks_of_lister ON ${schema}.tasks (lister, created_us, id);
  CREATE INDEX tasks_expiry ON ${schema}.tasks (expires_at);
  `,
  (schema) => `
  CREATE INDEX tasks_ended ON ${schema}.tasks (holder, updated_ms, number) WHERE status NOT IN ('working', 'input_required');
  `,
];
