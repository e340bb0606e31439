import type { InputHTMLAttributes } from "preact";

interface InputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type" | "role" | "list"> {
  readonly type: "text" | "password" | "url" | "email" | "date";
}

/** A line of text whose type is decided while the page runs; the types of `input` know only fixed ones. */
export function Input(props: InputProps) {
  return <input {...(props as InputHTMLAttributes<HTMLInputElement>)} />;
}
