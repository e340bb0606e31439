/** The tools of a server as types: what each takes and gives. */
export interface ToolTypes {
  readonly [name: string]: { readonly input: unknown; readonly output: unknown };
}

/** A server whose tools are known to the compiler. The member exists only there. */
export interface HasToolTypes<Tools> {
  readonly "~tools"?: Tools;
}
