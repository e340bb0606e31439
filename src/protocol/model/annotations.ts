export type Role = "user" | "assistant";

export interface Annotations {
  readonly audience?: readonly Role[];
  readonly priority?: number;
  readonly lastModified?: string;
}
