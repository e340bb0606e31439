/** The path that each view of a connection showed last, to which its tab and its name lead back. */
const paths = new Map<string, readonly string[]>();

export function keepPlace(connection: string, path: readonly string[]): void {
  paths.set(`${connection} ${path[0]}`, path);
}

/** The path in a view, `["tools", "add"]`, as the person left it. */
export function lastPlace(connection: string, view: string): readonly string[] {
  return paths.get(`${connection} ${view}`) ?? [view];
}
