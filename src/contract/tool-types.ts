/** The types of the tools of a server: the input and the output of each. */
export interface ToolTypes {
  readonly [name: string]: { readonly input: unknown; readonly output: unknown };
}

/** A server whose tools are known to the compiler. The member does not exist at run time. */
export interface HasToolTypes<Tools> {
  readonly "~tools"?: Tools;
}
