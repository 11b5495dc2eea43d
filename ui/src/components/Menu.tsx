/** One menu at a time, opened from a button, a right click or the menu key. */
import type { LucideIcon } from "lucide-react";
import { Check, Ellipsis } from "lucide-react";
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import { create } from "zustand";
import { IconButton } from "./Button";
import { cx } from "./cx";
import { Icon } from "./Icon";
import { Kbd } from "./Kbd";
import styles from "./Menu.module.css";

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  run: () => void;
  danger?: boolean;
  disabled?: boolean;
  checked?: boolean;
  chord?: string;
  hint?: string;
  /** Steps to the right, for headings under headings. */
  indent?: number;
}

/** `"-"` is a hairline. */
export type MenuItems = (MenuItem | "-" | false | null | undefined)[];

interface Open {
  items: MenuItems;
  x: number;
  y: number;
  /** Where it may grow from: the right edge of a button, or the pointer. */
  end: boolean;
  above: number | null;
  label: string;
}

const useMenu = create<{ open: Open | null }>(() => ({ open: null }));

export function openMenuAt(event: MouseEvent | KeyboardEvent, label: string, items: MenuItems) {
  event.preventDefault();
  event.stopPropagation();
  const box = event.currentTarget.getBoundingClientRect();
  const pointer = "clientX" in event && event.clientX > 0;
  useMenu.setState({
    open: {
      items,
      label,
      x: pointer ? event.clientX : box.left + 24,
      y: pointer ? event.clientY : box.bottom,
      end: false,
      above: null,
    },
  });
}

export function openMenuUnder(anchor: Element, label: string, items: MenuItems, end = true) {
  const box = anchor.getBoundingClientRect();
  useMenu.setState({
    open: { items, label, x: end ? box.right : box.left, y: box.bottom + 4, end, above: box.top - 4 },
  });
}

/** Whether an event asks for the context menu by keyboard. */
export function isMenuKey(event: KeyboardEvent): boolean {
  return event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey);
}

interface MenuButtonProps {
  label: string;
  /** Made when the menu opens, where making them for every row would cost. */
  items: MenuItems | (() => MenuItems);
  icon?: LucideIcon;
  small?: boolean;
  className?: string;
  testid?: string;
  tabIndex?: number;
}

export function MenuButton({
  label,
  items,
  icon = Ellipsis,
  small,
  className,
  testid,
  tabIndex,
}: MenuButtonProps) {
  return (
    <IconButton
      aria-haspopup="menu"
      className={className}
      data-testid={testid}
      icon={icon}
      label={label}
      onClick={(event) => {
        event.stopPropagation();
        openMenuUnder(event.currentTarget, label, typeof items === "function" ? items() : items);
      }}
      small={small}
      tabIndex={tabIndex}
    />
  );
}

export function MenuLayer() {
  const open = useMenu((state) => state.open);
  return open ? <OpenMenu key={`${open.x} ${open.y} ${open.label}`} open={open} /> : null;
}

function OpenMenu({ open }: { open: Open }) {
  const ref = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(document.activeElement);
  const close = (back: boolean) => {
    useMenu.setState({ open: null });
    if (back && before.current instanceof HTMLElement) before.current.focus();
  };

  useLayoutEffect(() => {
    const menu = ref.current;
    if (!menu) return;
    const { width, height } = menu.getBoundingClientRect();
    const left = open.end ? open.x - width : open.x;
    const fits = open.y + height + 8 <= window.innerHeight;
    const top = fits ? open.y : open.above !== null ? open.above - height : open.y - height;
    menu.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`;
    menu.style.top = `${Math.max(8, top)}px`;
    menu.querySelector<HTMLElement>("[role^=menuitem]:not(:disabled)")?.focus({ preventScroll: true });
  }, [open]);

  useEffect(() => {
    const away = (event: Event) => {
      if (!ref.current?.contains(event.target as Node)) useMenu.setState({ open: null });
    };
    const gone = () => useMenu.setState({ open: null });
    document.addEventListener("pointerdown", away, true);
    window.addEventListener("blur", gone);
    window.addEventListener("resize", gone);
    return () => {
      document.removeEventListener("pointerdown", away, true);
      window.removeEventListener("blur", gone);
      window.removeEventListener("resize", gone);
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const buttons = [
      ...(ref.current?.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)") ?? []),
    ];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const to = (index: number) => buttons[(index + buttons.length) % buttons.length]?.focus();
    if (event.key === "ArrowDown") to(at + 1);
    else if (event.key === "ArrowUp") to(at < 0 ? -1 : at - 1);
    else if (event.key === "Home") to(0);
    else if (event.key === "End") to(-1);
    else if (event.key === "Escape" || event.key === "Tab") close(true);
    else if (event.key.length === 1 && event.key !== " ") {
      const letter = event.key.toLowerCase();
      const next = [...buttons.slice(at + 1), ...buttons].find((button) =>
        button.textContent?.toLowerCase().startsWith(letter),
      );
      next?.focus();
      return;
    } else return;
    event.preventDefault();
  };

  return (
    <div
      aria-label={open.label}
      className={styles.menu}
      onKeyDown={onKeyDown}
      ref={ref}
      role="menu"
      tabIndex={-1}
    >
      {open.items.map((item, index) => {
        if (!item) return null;
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of an open menu do not change
        if (item === "-") return <hr className={styles.line} key={index} />;
        const checkable = item.checked !== undefined;
        return (
          <button
            aria-checked={item.checked}
            className={cx(styles.item, item.danger && styles.danger)}
            disabled={item.disabled}
            key={item.label}
            onClick={() => {
              close(true);
              item.run();
            }}
            onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
            role={checkable ? "menuitemcheckbox" : "menuitem"}
            type="button"
          >
            {checkable ? (
              <span className={styles.check}>{item.checked && <Icon of={Check} />}</span>
            ) : (
              item.icon && <Icon of={item.icon} />
            )}
            <span
              className={styles.label}
              style={item.indent ? ({ "--indent": item.indent } as CSSProperties) : undefined}
            >
              {item.label}
            </span>
            {item.hint && <span className={styles.hint}>{item.hint}</span>}
            {item.chord && <Kbd chord={item.chord} quiet />}
          </button>
        );
      })}
    </div>
  );
}
