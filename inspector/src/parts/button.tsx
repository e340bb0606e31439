import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  /** The name that a screen reader says; needed where there is only an icon. */
  readonly label?: string;
  readonly look?: "plain" | "main" | "quiet" | "danger";
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  readonly type?: "button" | "submit";
  readonly onPress?: () => void;
}

export function Button(props: ButtonProps) {
  const { children, icon, label, look = "plain" } = props;
  return (
    <button
      type={props.type ?? "button"}
      class={`button ${look}${children === undefined ? " bare" : ""}`}
      aria-label={label}
      title={label}
      disabled={props.disabled}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      onClick={props.onPress}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
