/**
 * The time by which the clocks of nodes may differ. A mark of something that was used, or revoked, outlives that thing by
 * this time, since other nodes may take it for valid for longer.
 */
export const clockDifferenceMs = 600_000;
