import { useEffect, useState } from "preact/hooks";
import type { NumbersAnswer, ShadowReport } from "../../build/workbench/inspect/api.d.ts";
import { read } from "./api.ts";
import { duration, messageOf } from "./format.ts";

const DAYS = 14;

type HookNumbers = NumbersAnswer["hooks"][number];

/** The columns of numbers; on a narrow screen, their names stand beside them. */
const COLUMNS: readonly (readonly [name: string, value: (of: HookNumbers) => number | string])[] = [
  ["decisions", ({ decisions }) => decisions],
  ["denied", ({ denied }) => denied],
  ["asked", ({ asked }) => asked],
  ["changed", ({ changed }) => changed],
  ["failed", ({ failed }) => failed],
  ["mean", ({ decisions, total_ms }) => (decisions > 0 ? duration(total_ms / decisions) : "")],
  ["slowest", ({ decisions, slowest_ms }) => (decisions > 0 ? duration(slowest_ms) : "")],
];

/** What hooks decided on the last days, from the audit log. */
export function Numbers() {
  const [numbers, setNumbers] = useState<NumbersAnswer>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const path = `numbers?days=${DAYS}`;
    read<NumbersAnswer>(path).then(setNumbers, (thrown: unknown) => setError(messageOf(thrown)));
  }, []);
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (!numbers) return <p class="empty">Reading the audit log …</p>;
  const { hooks, days, entries, shadow } = numbers;
  if (hooks.length === 0 && shadow.length === 0) {
    return <p class="empty">The audit log has no decision of the last {days.length} days.</p>;
  }
  const slowest = [...hooks].sort((a, b) => b.slowest_ms - a.slowest_ms)[0];
  const most = Math.max(...hooks.flatMap(({ per_day }) => per_day));
  return (
    <div class="view">
      <p class="empty">
        {entries} {entries === 1 ? "dispatch" : "dispatches"} in the audit log since {days[0]} (UTC)
        {slowest && slowest.slowest_ms > 0 && (
          <>
            ; slowest: <b>{slowest.hook}</b>, {duration(slowest.slowest_ms)}
          </>
        )}
      </p>
      {shadow.map((report) => (
        <Shadow key={report.hook} report={report} />
      ))}
      <div class="scroll">
        <table class="cards">
          <thead>
            <tr>
              <th>hook</th>
              <th>per day</th>
              {COLUMNS.map(([name]) => (
                <th key={name} class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {hooks.map((each) => (
              <tr key={each.hook}>
                <td>
                  <b>{each.hook}</b>
                </td>
                <td>
                  <Bars values={each.per_day} days={days} most={most} />
                </td>
                {COLUMNS.map(([name, value]) => (
                  <td
                    key={name}
                    class={name === "failed" && each.failed > 0 ? "number bad" : "number"}
                    data-label={name}
                  >
                    {value(each)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** What a hook that is not enforced would have done. */
function Shadow({ report }: { readonly report: ShadowReport }) {
  const { hook, mode, entries, would, failed, examples, promote } = report;
  const counts = Object.entries(would).filter(([, count]) => count > 0);
  return (
    <section class="shadow">
      <h2>
        {hook} <span class="mode">{mode}</span>
      </h2>
      <p>
        {entries} {entries === 1 ? "run" : "runs"}: would{" "}
        {counts.length === 0
          ? "do nothing"
          : counts.map(([what, count]) => `${what} ${count}`).join(", ")}
        {failed > 0 && <span class="bad">, failed {failed}</span>}
      </p>
      {examples.map(({ time, tool, subject, would: each, reason }) => (
        <p key={time} class="dim">
          {time.slice(0, 19).replace("T", " ")} {tool} <code>{subject}</code> {each.join(", ")}
          {reason !== undefined && `: ${reason}`}
        </p>
      ))}
      <p>
        To raise its mode: <code>{promote}</code>
      </p>
    </section>
  );
}

interface BarsProps {
  readonly values: readonly number[];
  readonly days: readonly string[];
  /** The value of the highest bar, the same for all hooks. */
  readonly most: number;
}

function Bars({ values, days, most }: BarsProps) {
  const label = values.map((value, i) => `${days[i]}: ${value}`).join(", ");
  return (
    <svg class="bars" viewBox={`0 0 ${values.length * 7} 24`} role="img" aria-label={label}>
      {values.map((value, i) => {
        const height = value === 0 ? 1 : Math.max(2, (value / most) * 24);
        return (
          <rect
            key={days[i]}
            class={value === 0 ? "none" : ""}
            x={i * 7}
            y={24 - height}
            width={5}
            height={height}
          >
            <title>
              {days[i]}: {value}
            </title>
          </rect>
        );
      })}
    </svg>
  );
}
