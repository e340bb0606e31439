/**
 * The time by which the clocks of nodes may differ. A mark of something that was used, or revoked, lives so much longer than the
 * node that makes it takes that thing for valid: for others it may be valid for longer.
 */
export const clockDifferenceMs = 600_000;
