/** Times are those of the database, so that the clocks of nodes do not matter. */
export const now = "clock_timestamp()";

/** The interval of a parameter in milliseconds. */
export function ms(parameter: string): string {
  return `${parameter}::float8 * interval '1 millisecond'`;
}

/** True for what has between the least and the most time left, and so need not be renewed. */
export function hasTimeLeft(column: string, at: string, least: string, most: string): string {
  return `${column} BETWEEN ${at} + ${ms(least)} AND ${at} + ${ms(most)}`;
}
