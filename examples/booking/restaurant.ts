export interface Reservation {
  readonly day: string;
  readonly time: string;
  readonly guests: number;
}

const tables = [
  { seats: 2, times: ["18:00", "20:00"] },
  { seats: 4, times: ["18:00", "19:30"] },
] as const;

/** Every reservation so far, in the order in which they were made. */
export const reservations: Reservation[] = [];

/** The times at which a table with enough seats is free. */
export function freeTimes(day: string, guests: number): string[] {
  const times = new Set<string>(tables.flatMap(({ seats, times }) => (seats >= guests ? times : [])));
  return [...times].filter((time) => toFreeTable({ day, time, guests }) > 0);
}

/** Makes a reservation and returns the number of the table. */
export function reserve(reservation: Reservation): number {
  const table = toFreeTable(reservation);
  if (table === 0) throw new Error("The table was taken meanwhile.");
  reservations.push(reservation);
  return table;
}

/** The number of the smallest free table, from 1; 0 if there is none. */
function toFreeTable({ day, time, guests }: Reservation): number {
  const taken = reservations.filter((other) => other.day === day && other.time === time).length;
  const fitting = tables.flatMap(({ seats, times }, index) =>
    seats >= guests && times.some((one) => one === time) ? [index + 1] : [],
  );
  return fitting[taken] ?? 0;
}
