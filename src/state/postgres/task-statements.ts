import { taskColumns } from "../sql/task-row.ts";
import { ms, now } from "./sql.ts";

interface TaskStatements {
  readonly makeRoom: string;
  readonly create: string;
  readonly get: string;
  readonly list: string;
  readonly claim: string;
  readonly answers: string;
  readonly save: string;
  readonly asks: string;
  readonly answer: string;
  readonly cancel: string;
}

const isOpen = "status IN ('working', 'input_required')";
const hasEnded = "status NOT IN ('working', 'input_required')";
const isAlive = `expires_at > ${now}`;
const isClaimed = `id = $1 AND token = $2 AND status = 'working' AND ${isAlive}`;
const nowMs = `floor(extract(epoch FROM ${now}) * 1000)::bigint`;

export function toTaskStatements(schema: string): TaskStatements {
  const table = `"${schema}".tasks`;
  return {
    ...toReads(table),
    ...toChanges(table),
    makeRoom: toMakeRoom(table),
    create: toCreate(table),
    claim: toClaim(table),
  };
}

/**
 * Drops those of each holder that ended longest ago, first of the holder with the most: down to $1 tasks, and to $2 of
 * each holder. Returns how many are left.
 */
function toMakeRoom(table: string): string {
  return `
    WITH alive AS MATERIALIZED (
      SELECT count(*) AS tasks FROM ${table} WHERE ${isAlive}
    ), ended AS MATERIALIZED (
      SELECT number, updated_ms, row_number() OVER (PARTITION BY holder ORDER BY updated_ms DESC, number DESC) AS place
      FROM ${table} WHERE ${hasEnded} AND ${isAlive}
    ), gone AS (
      DELETE FROM ${table} WHERE number IN (
        SELECT number FROM ended ORDER BY place DESC, updated_ms, number
        LIMIT greatest((SELECT tasks FROM alive) - $1::bigint, (SELECT count(*) FROM ended WHERE place > $2::bigint), 0)
      ) RETURNING 1
    )
    SELECT (SELECT tasks FROM alive) - (SELECT count(*) FROM gone) AS left`;
}

/** Needs the lock of the holder $3, who may have less than $10 tasks that have not ended. */
function toCreate(table: string): string {
  return `
    INSERT INTO ${table} (id, queue, holder, lister, fixed, status, status_message, progress, record, asks, answers,
      token, changes, leased_until, waits_since, created_us, updated_ms, expires_at)
    SELECT $1, $2, $3, $4, $5, 'working', $6, $7, $8, '{}', '{}', 0, 0, '-infinity', at,
      floor(extract(epoch FROM at) * 1000000)::bigint, floor(extract(epoch FROM at) * 1000)::bigint, at + ${ms("$9")}
    FROM (SELECT ${now} AS at) AS clock
    WHERE (
      SELECT count(*) FROM (
        SELECT 1 FROM ${table} WHERE holder = $3 AND ${isOpen} AND ${isAlive} LIMIT $10::bigint
      ) AS counted
    ) < $10::bigint
    RETURNING number, ${taskColumns}`;
}

/** The lock on the next task is skipped by other workers, which take the one after it. */
function toClaim(table: string): string {
  return `
    WITH next AS MATERIALIZED (
      SELECT id FROM ${table}
      WHERE queue = $1 AND status = 'working' AND leased_until <= ${now} AND ${isAlive}
      ORDER BY waits_since LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE ${table} AS t SET token = token + 1, changes = changes + 1, leased_until = ${now} + ${ms("$2")}, waits_since = ${now}
    FROM next WHERE t.id = next.id
    RETURNING token, ${taskColumns}`;
}

function toReads(table: string): Pick<TaskStatements, "get" | "list" | "answers" | "asks"> {
  return {
    get: `SELECT ${taskColumns} FROM ${table} WHERE id = $1 AND ${isAlive}`,
    list: `
      SELECT id, ${taskColumns} FROM ${table}
      WHERE lister = $1 AND (created_us, id) > ($2::bigint, $3) AND ${isAlive}
      ORDER BY created_us, id LIMIT $4::bigint`,
    answers: `SELECT answers FROM ${table} WHERE ${isClaimed}`,
    asks: `SELECT asks, answers, changes FROM ${table} WHERE id = $1 AND status = 'input_required' AND ${isAlive}`,
  };
}

function toChanges(table: string): Pick<TaskStatements, "save" | "answer" | "cancel"> {
  return {
    // $10 is whether the claim is over, $11 the new lease, $12 whether there is nothing else.
    save: `
      UPDATE ${table} SET
        status = coalesce($3, status), status_message = coalesce($4, status_message),
        progress = coalesce($5, progress), record = coalesce($6, record),
        result = coalesce($7, result), error = coalesce($8, error), asks = coalesce($9, asks),
        token = token + $10::boolean::int, changes = changes + 1,
        waits_since = CASE WHEN $10 THEN ${now} ELSE waits_since END,
        leased_until = CASE WHEN $10 THEN '-infinity' WHEN $11::float8 IS NULL THEN leased_until ELSE ${now} + ${ms("$11")} END,
        updated_ms = CASE WHEN $12::boolean THEN updated_ms ELSE ${nowMs} END
      WHERE ${isClaimed} RETURNING number`,
    answer: `
      UPDATE ${table} SET
        asks = $3, answers = $4, status = $5, changes = changes + 1, waits_since = ${now}, updated_ms = ${nowMs}
      WHERE id = $1 AND changes = $2 AND status = 'input_required' AND ${isAlive} RETURNING number`,
    cancel: `
      UPDATE ${table} SET status = 'cancelled', asks = '{}', changes = changes + 1, updated_ms = ${nowMs}
      WHERE id = $1 AND ${isOpen} AND ${isAlive} RETURNING number`,
  };
}
