import type { LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import styles from "./Button.module.css";
import { cx } from "./cx";
import { Icon } from "./Icon";

type Native = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type">;

interface ButtonProps extends Native {
  kind?: "primary" | "plain" | "quiet" | "danger";
  small?: boolean;
  icon?: LucideIcon;
  children: ReactNode;
  submit?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ kind = "plain", small, icon, children, submit, className, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      className={cx(styles.button, styles[kind], small && styles.small, className)}
      type={submit ? "submit" : "button"}
    >
      {icon && <Icon of={icon} />}
      <span>{children}</span>
    </button>
  );
}

interface IconButtonProps extends Native {
  icon: LucideIcon;
  /** Read aloud, and shown on hover. */
  label: string;
  small?: boolean;
  on?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ icon, label, small, on, className, ...rest }: IconButtonProps) {
  return (
    <button
      aria-label={label}
      data-tip={label}
      {...rest}
      className={cx(styles.icon, small && styles.iconSmall, on && styles.on, className)}
      type="button"
    >
      <Icon of={icon} />
    </button>
  );
}
