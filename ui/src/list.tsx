import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../../build/workbench/inspect/api.d.ts";

interface ListProps {
  /** The newest first. */
  readonly rows: readonly Row[];
  /** Id of a dispatch. */
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  readonly draw: (row: Row) => ComponentChildren;
}

/** Rows above and below the visible ones that are drawn as well. */
const MARGIN = 8;

/** A list of any length: only the rows that can be seen are in the page. New rows do not move what is looked at. */
export function List({ rows, selected, onSelect, draw }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const rowHeight = useRowHeight();
  const newest = rows[0]?.seq ?? 0;
  const previous = useRef(newest);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // New rows come in above. Who has scrolled down keeps seeing the same ones.
    const added = rows.findIndex(({ seq }) => seq <= previous.current);
    if (element.scrollTop > 0 && added > 0) element.scrollTop += added * rowHeight;
    previous.current = newest;
  }, [newest]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => setHeight(element.clientHeight));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);

  const from = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
  const until = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + MARGIN);

  const move = (by: number): void => {
    const at = rows.findIndex(({ id }) => id === selected);
    const next = Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + by));
    const row = rows[next];
    const element = box.current;
    if (!row || !element) return;
    onSelect(row.id);
    const y = next * rowHeight;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = y + rowHeight - element.clientHeight;
    }
  };

  return (
    <div
      ref={box}
      class="rows"
      role="listbox"
      tabIndex={0}
      aria-label="Events, the newest first"
      aria-activedescendant={selected === undefined ? undefined : `row-${selected}`}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      onKeyDown={(event) => {
        const by = STEPS[event.key];
        if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        move(by);
      }}
    >
      <div class="all-rows" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(from, until).map((row, i) => (
          <div
            key={row.seq}
            id={`row-${row.id}`}
            role="option"
            aria-selected={row.id === selected}
            class={`row is-${row.verdict}${row.parent === undefined ? "" : " nested"}${row.past ? " past" : ""}`}
            style={{ transform: `translateY(${(from + i) * rowHeight}px)` }}
            // A new row may come in above before the button is released, which makes it no click.
            onMouseDown={({ button }) => button === 0 && onSelect(row.id)}
            onClick={() => onSelect(row.id)}
          >
            {draw(row)}
          </div>
        ))}
      </div>
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 20,
  PageUp: -20,
  Home: -Infinity,
  End: Infinity,
};

/** On a narrow page a row has two lines. */
function useRowHeight(): number {
  const narrow = matchMedia("(max-width: 700px)");
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const changed = (): void => setNarrow(narrow.matches);
    narrow.addEventListener("change", changed);
    return () => narrow.removeEventListener("change", changed);
  }, []);
  return isNarrow ? 54 : 30;
}
