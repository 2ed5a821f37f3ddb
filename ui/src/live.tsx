import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Row, Verdict } from "../../build/workbench/inspect/api.d.ts";
import { Detail } from "./detail.tsx";
import { agentName, duration, moment } from "./format.ts";
import { List } from "./list.tsx";
import type { Store } from "./store.ts";

interface Filter {
  readonly text: string;
  readonly verdict: Verdict | "";
  readonly point: string;
  readonly agent: string;
  readonly session: string;
}

/** The worst first. */
const VERDICTS: readonly Verdict[] = [
  "denied",
  "asked",
  "failed",
  "changed",
  "allowed",
  "skipped",
  "retried",
  "passed",
];

const ALL: Filter = { text: "", verdict: "", point: "", agent: "", session: "" };

/** The list of dispatches, and the one that is selected. */
export function Live({ store }: { readonly store: Store }) {
  const [filter, setFilter] = useState(ALL);
  const [selected, setSelected] = useState<string>();
  // While paused, what was there stays.
  const [paused, setPaused] = useState<readonly Row[]>();
  const search = useRef<HTMLInputElement>(null);
  const all = paused ?? store.rows;
  const rows = useMemo(() => all.filter((row) => isWanted(row, filter)).reverse(), [all, filter]);
  const change = (part: Partial<Filter>): void => setFilter({ ...filter, ...part });
  const toggle = (): void => setPaused(paused ? undefined : store.rows);

  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.target instanceof Element && event.target.closest("input, select, .editor")) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") {
        event.preventDefault();
        search.current?.focus();
      } else if (event.key === "p") toggle();
      else if (event.key === "Escape") setSelected(undefined);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });

  const missed = paused ? store.count - countOf(store, paused) : 0;
  return (
    <div class={selected === undefined ? "live" : "live with-detail"}>
      <section class="list-side" aria-label="Events">
        <div class="tools">
          <input
            ref={search}
            type="search"
            placeholder="Search (/)"
            aria-label="Search"
            value={filter.text}
            onInput={({ currentTarget }) => change({ text: currentTarget.value })}
          />
          <Choice
            label="Decision"
            value={filter.verdict}
            choices={VERDICTS}
            onChange={(verdict) => change({ verdict })}
          />
          <Choice
            label="Point"
            value={filter.point}
            choices={distinct(all, ({ point }) => point)}
            onChange={(point) => change({ point })}
          />
          <Choice
            label="Agent"
            value={filter.agent}
            choices={distinct(all, ({ agent }) => agent)}
            shown={agentName}
            onChange={(agent) => change({ agent })}
          />
          <Choice
            label="Session"
            value={filter.session}
            choices={distinct(all, ({ session }) => session)}
            onChange={(session) => change({ session })}
          />
          <button aria-pressed={paused !== undefined} title="Pause the list (p)" onClick={toggle}>
            {paused ? `Resume${missed > 0 ? ` (${missed} new)` : ""}` : "Pause"}
          </button>
          <span class="count">
            {rows.length === all.length ? `${rows.length}` : `${rows.length} of ${all.length}`}
          </span>
        </div>
        {rows.length === 0 ? (
          <p class="empty">
            {all.length === 0
              ? "No event yet. Each call of an agent appears here when its hooks have run."
              : "No event matches the filters."}
          </p>
        ) : (
          <List rows={rows} selected={selected} onSelect={setSelected} draw={drawRow} />
        )}
      </section>
      {selected !== undefined && (
        <Detail
          key={selected}
          id={selected}
          row={store.rows.find(({ id }) => id === selected)}
          onClose={() => setSelected(undefined)}
          onSelect={setSelected}
        />
      )}
    </div>
  );
}

function drawRow(row: Row) {
  const { at, agent, session, verdict, tool, point, subject, hook, reason, ms, shadow, undo } = row;
  return (
    <>
      <time title={row.past ? "from the audit log" : undefined}>{moment(at)}</time>
      <span class={`verdict ${verdict}`}>{verdict}</span>
      <span class="tool">{tool ?? point}</span>
      <span class="subject">
        {subject ?? (tool === undefined ? "" : point)}
        {reason !== undefined && <em>{reason}</em>}
        {undo !== undefined && <em class="mode">undo point {undo}</em>}
        {shadow && (
          <em class="mode" title={`${shadow.hook} is not enforced`}>
            {shadow.hook} would: {shadow.verdict}
          </em>
        )}
      </span>
      <span class="hook">{hook}</span>
      <span class="agent" title={session === undefined ? agent : `${agent}, session ${session}`}>
        {agentName(agent)}
      </span>
      <span class="ms">{duration(ms)}</span>
    </>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T | "";
  readonly choices: readonly T[];
  readonly shown?: (value: T) => string;
  readonly onChange: (value: T | "") => void;
}

function Choice<T extends string>({ label, value, choices, shown, onChange }: ChoiceProps<T>) {
  return (
    <select
      aria-label={label}
      class={value === "" ? "" : "set"}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as T | "")}
    >
      <option value="">{label}: all</option>
      {choices.map((each) => (
        <option key={each} value={each}>
          {shown ? shown(each) : each}
        </option>
      ))}
    </select>
  );
}

function isWanted(
  row: Row,
  { text, verdict, point: wantedPoint, agent, session }: Filter,
): boolean {
  if (verdict !== "" && row.verdict !== verdict) return false;
  if (wantedPoint !== "" && row.point !== wantedPoint) return false;
  if (agent !== "" && row.agent !== agent) return false;
  if (session !== "" && row.session !== session) return false;
  if (text === "") return true;
  const wanted = text.toLowerCase();
  const { tool, subject, hook, reason, point, session: own, id, shadow } = row;
  return [tool, subject, hook, reason, point, own, row.agent, id, shadow?.hook].some(
    (part) => part?.toLowerCase().includes(wanted) === true,
  );
}

function distinct(rows: readonly Row[], of: (row: Row) => string | undefined): string[] {
  const found = new Set<string>();
  for (const row of rows) {
    const value = of(row);
    if (value !== undefined) found.add(value);
  }
  return [...found].sort();
}

/** How many rows had come when the list was paused. */
function countOf(store: Store, paused: readonly Row[]): number {
  const last = store.rows.at(-1)?.seq ?? 0;
  return store.count - Math.max(0, last - (paused.at(-1)?.seq ?? 0));
}
