/** The words before a text that a server printed where only messages may stand. */
export const strayOutput = "Skipped output that is not a message: ";
