import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** The height of every row in rem: with one height, the place of a row is a product and not a search. */
  readonly rowRem: number;
  readonly chosen?: number;
  /** Keeps the end in view while rows are added, until the person scrolls up. */
  readonly followsEnd?: boolean;
  readonly row: (index: number) => ComponentChildren;
  readonly onChoose?: (index: number) => void;
  /** A drawing behind the rows in view, such as the lanes of a diagram. */
  readonly backdrop?: (first: number, last: number) => ComponentChildren;
}

/** Rows drawn beyond each edge of the view, so that a fast scroll shows no gap. */
const overscan = 6;

/** A list of any length that holds only the rows in view. */
export function VirtualList(props: VirtualListProps) {
  const { count, chosen = -1, onChoose } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [view, setView] = useState({ top: 0, height: 600, row: props.rowRem * 16 });

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setView({ top: element.scrollTop, height: element.clientHeight, row: props.rowRem * rem });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [props.rowRem]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && props.followsEnd && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [count, view.row, view.height]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || chosen < 0) return;
    const top = chosen * view.row;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + view.row > element.scrollTop + element.clientHeight)
      element.scrollTop = top + view.row - element.clientHeight;
  }, [chosen, view.row]);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
    const top = Math.floor(element.scrollTop / view.row) * view.row;
    setView((before) => (before.top === top ? before : { ...before, top }));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key, Math.floor(view.height / view.row));
    if (step === undefined || !onChoose || count === 0) return;
    event.preventDefault();
    onChoose(Math.max(0, Math.min(count - 1, (chosen < 0 ? -1 : chosen) + step)));
  };

  const first = Math.max(0, Math.floor(view.top / view.row) - overscan);
  const last = Math.min(count, Math.ceil((view.top + view.height) / view.row) + 1 + overscan);
  const slots = Math.ceil(view.height / view.row) + 2 * overscan + 2;
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  const id = `row-${props.label.replaceAll(/\W+/g, "-")}`;
  const isActive = chosen >= first && chosen < last;
  const list = onChoose
    ? {
        role: "listbox" as const,
        "aria-activedescendant": isActive ? `${id}-${chosen}` : undefined,
        onKeyDown,
      }
    : { role: "list" as const };
  const item = (index: number) =>
    onChoose
      ? { role: "option" as const, "aria-selected": index === chosen, onClick: () => onChoose(index) }
      : { role: "listitem" as const };
  return (
    <div
      class="virtual"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keys.
      tabIndex={0}
      onScroll={onScroll}
      {...{ ...list, "aria-label": props.label }}
    >
      <div class="virtual-space" style={{ height: `${count * view.row}px` }} role="presentation">
        <div
          class="virtual-window"
          style={{ transform: `translateY(${first * view.row}px)` }}
          role="presentation"
        >
          {props.backdrop?.(first, last)}
          {indexes.map((index) => (
            // A row that leaves the view lends its elements to one that enters it.
            <div
              key={index % slots}
              id={`${id}-${index}`}
              class={`virtual-row${index === chosen ? " chosen" : ""}`}
              style={{ height: `${view.row}px` }}
              {...{ ...item(index), "aria-posinset": index + 1, "aria-setsize": count }}
            >
              {props.row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function stepOf(key: string, page: number): number | undefined {
  if (key === "ArrowDown") return 1;
  if (key === "ArrowUp") return -1;
  if (key === "PageDown") return page;
  if (key === "PageUp") return -page;
  if (key === "Home") return Number.NEGATIVE_INFINITY;
  if (key === "End") return Number.POSITIVE_INFINITY;
}
