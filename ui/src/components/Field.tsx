import { type InputHTMLAttributes, type ReactNode, type Ref, useId } from "react";
import styles from "./Field.module.css";

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  error?: string | null;
  testid?: string;
  ref?: Ref<HTMLInputElement>;
}

/** A labelled line of text. */
export function Field({ label, error, testid, ref, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        aria-describedby={error ? `${id}-error` : undefined}
        aria-invalid={error ? true : undefined}
        className={styles.input}
        data-testid={testid}
        id={id}
        ref={ref}
      />
      {error && (
        <p className={styles.error} id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

interface SwitchProps {
  label: string;
  hint?: string;
  on: boolean;
  change: (on: boolean) => void;
  disabled?: boolean;
  testid?: string;
}

/** On or off, at once. */
export function Switch({ label, hint, on, change, disabled, testid }: SwitchProps) {
  const id = useId();
  return (
    <div className={styles.switchRow}>
      <button
        aria-checked={on}
        aria-describedby={hint ? `${id}-hint` : undefined}
        aria-labelledby={`${id}-label`}
        className={styles.switch}
        data-testid={testid}
        disabled={disabled}
        onClick={() => change(!on)}
        role="switch"
        type="button"
      >
        <span className={styles.knob} />
      </button>
      <span>
        <span id={`${id}-label`}>{label}</span>
        {hint && (
          <span className={styles.hint} id={`${id}-hint`}>
            {hint}
          </span>
        )}
      </span>
    </div>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: { value: string; label: string }[];
  change: (value: string) => void;
  testid?: string;
}

/** One of a few. */
export function Select({ label, value, options, change, testid }: SelectProps) {
  return (
    <select
      aria-label={label}
      className={styles.select}
      data-testid={testid}
      onChange={(event) => change(event.target.value)}
      value={value}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

interface SegmentedProps<T extends string> {
  label: string;
  value: T;
  options: { value: T; label: ReactNode }[];
  change: (value: T) => void;
}

/** One of two or three, all in sight. */
export function Segmented<T extends string>({ label, value, options, change }: SegmentedProps<T>) {
  return (
    <fieldset aria-label={label} className={styles.segmented}>
      {options.map((option) => (
        <button
          aria-pressed={option.value === value}
          className={styles.segment}
          key={option.value}
          onClick={() => change(option.value)}
          type="button"
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
