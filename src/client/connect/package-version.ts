/** The version of this package, by which a client names itself when the host does not. */
export const packageVersion = "0.1.0";
