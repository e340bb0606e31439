import { hasTimeLeft, ms, now } from "./sql.ts";

interface EventStatements {
  readonly append: string;
  readonly after: string;
  readonly holds: string;
  readonly last: string;
  readonly remove: string;
  readonly trim: string;
}

/**
 * Places begin at the time of the stream's first event, in units of 10 microseconds, and go up by one. A reader of a
 * stream that was removed thus goes on in its successor.
 */
const firstPlace = "floor(extract(epoch FROM at) * 100000)::bigint";

export function toEventStatements(schema: string): EventStatements {
  const [streams, events] = [`"${schema}".streams`, `"${schema}".events`];
  return { ...toReads(streams, events), append: toAppend(streams, events), trim: toTrim(streams, events) };
}

/**
 * Appends the texts $2, of which there are $3 with $4 bytes, to the stream $1, which lives $5 to $6 milliseconds.
 *
 * The row of the stream is locked until the commit, so that places are in the order of commits: whoever sees an event
 * sees all before it.
 */
function toAppend(streams: string, events: string): string {
  const at = `(excluded.expires_at - ${ms("$6")})`;
  const isOver = `s.expires_at <= ${at}`;
  return `
    WITH head AS (
      INSERT INTO ${streams} AS s (name, floor, last, events, bytes, expires_at)
      SELECT $1, ${firstPlace}, ${firstPlace} + $3, $3, $4, at + ${ms("$6")} FROM (SELECT ${now} AS at) AS clock
      ON CONFLICT (name) DO UPDATE SET
        floor = CASE WHEN ${isOver} THEN s.last ELSE s.floor END,
        last = s.last + $3,
        events = CASE WHEN ${isOver} THEN $3 ELSE s.events + $3 END,
        bytes = CASE WHEN ${isOver} THEN $4 ELSE s.bytes + $4 END,
        expires_at = CASE WHEN ${hasTimeLeft("s.expires_at", at, "$5", "$6")} THEN s.expires_at ELSE excluded.expires_at END
      RETURNING id, floor, last, events, bytes
    ), dropped AS (
      DELETE FROM ${events} USING head WHERE stream_id = head.id AND place <= head.floor
    ), added AS (
      INSERT INTO ${events} (stream_id, place, text, bytes)
      SELECT head.id, head.last - $3 + nth, text, octet_length(text)
      FROM head, unnest($2::text[]) WITH ORDINALITY AS given (text, nth)
    )
    SELECT last, events, bytes FROM head`;
}

function toReads(
  streams: string,
  events: string,
): Pick<EventStatements, "after" | "holds" | "last" | "remove"> {
  return {
    after: `
      SELECT $2::bigint <= s.last AS reached, e.place, e.text
      FROM ${streams} AS s LEFT JOIN LATERAL (
        SELECT place, text FROM ${events} WHERE stream_id = s.id AND place > greatest($2::bigint, s.floor)
        ORDER BY place LIMIT $3::bigint
      ) AS e ON true
      WHERE s.name = $1 AND s.expires_at > ${now} ORDER BY e.place`,
    holds: `
      SELECT 1 FROM ${streams} AS s JOIN ${events} AS e ON e.stream_id = s.id
      WHERE s.name = $1 AND s.expires_at > ${now} AND e.place = $2::bigint AND e.place > s.floor`,
    last: `SELECT last FROM ${streams} WHERE name = $1 AND expires_at > ${now}`,
    remove: `DELETE FROM ${streams} WHERE name = $1`,
  };
}

/** Drops the oldest events of the stream $1, so that at most $2 with $3 bytes are left. The newest stays: it may be the answer. */
function toTrim(streams: string, events: string): string {
  return `
    WITH head AS MATERIALIZED (
      SELECT id, floor FROM ${streams} WHERE name = $1 FOR UPDATE
    ), cut AS (
      SELECT coalesce(max(place), 0) AS place, count(*) AS events, coalesce(sum(bytes), 0) AS bytes FROM (
        SELECT place, bytes, row_number() OVER newest_first AS nth, sum(bytes) OVER newest_first AS total
        FROM ${events}, head WHERE stream_id = head.id AND place > head.floor
        WINDOW newest_first AS (ORDER BY place DESC)
      ) AS counted WHERE nth > 1 AND (nth > $2 OR total > $3)
    ), dropped AS (
      DELETE FROM ${events} AS e USING head, cut WHERE e.stream_id = head.id AND e.place <= cut.place
    )
    UPDATE ${streams} AS s SET
      floor = greatest(s.floor, cut.place), events = s.events - cut.events, bytes = s.bytes - cut.bytes
    FROM head, cut WHERE s.id = head.id`;
}
