import { useEffect, useState } from "preact/hooks";
import type { ActiveHook, SetsAnswer } from "../../build/workbench/inspect/api.d.ts";
import { read } from "./api.ts";
import { messageOf, plain } from "./format.ts";

/** What is active, in the order in which it runs, and whether it is trusted. */
export function Sets() {
  return (
    <div class="view">
      <Active />
    </div>
  );
}

function Active() {
  const [sets, setSets] = useState<SetsAnswer>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    read<SetsAnswer>("sets").then(setSets, (thrown: unknown) => setError(messageOf(thrown)));
  }, []);
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (!sets) return <p class="empty">Reading the configuration …</p>;
  const { hooks, trust, notices, warnings } = sets;
  const points = [...new Set(hooks.map(({ point }) => point))];
  return (
    <>
      {trust && (
        <div
          class={trust.state === "trusted" && trust.changed.length === 0 ? "good" : "reason asked"}
        >
          Project: {trust.why}
          {trust.digest !== undefined && <> (sealed set {trust.digest})</>}
          {trust.changed.map(({ name, is }) => (
            <div key={name}>
              {is} since it was trusted: {name}
            </div>
          ))}
        </div>
      )}
      {notices.map((text) => (
        <p key={text} class="reason asked">
          {text}
        </p>
      ))}
      {warnings.map((text) => (
        <p key={text} class="reason asked">
          {text}
        </p>
      ))}
      {hooks.length === 0 && <p class="empty">No hook is active.</p>}
      {points.map((point) => (
        <section key={point}>
          <h2>{point}</h2>
          <table class="cards sets">
            <thead>
              <tr>
                <th>hook</th>
                <th class="number">priority</th>
                <th>runs for</th>
                <th>from</th>
              </tr>
            </thead>
            <tbody>
              {hooks
                .filter((hook) => hook.point === point)
                .map((hook) => (
                  <HookRow key={hook.id} hook={hook} />
                ))}
            </tbody>
          </table>
        </section>
      ))}
      <p class="empty">This page cannot change which hooks are active.</p>
    </>
  );
}

/** The guard of orcs, which no other hook can precede. */
const BEFORE_ALL = -(2 ** 31);

const MODES = { audit: "audit: not enforced", warn: "warn: told, not enforced" };

function HookRow({ hook }: { readonly hook: ActiveHook }) {
  const { id, priority, match, fql, enabled, mode, origin, source } = hook;
  const conditions = Object.entries({ ...(fql !== undefined && { fql }), ...match });
  return (
    <tr class={enabled ? "" : "off"}>
      <td>
        <b>{id}</b>
        {!enabled && " (disabled)"}
        {mode !== undefined && <span class="mode"> {MODES[mode]}</span>}
      </td>
      <td class="number" data-label="priority" title={String(priority)}>
        {priority <= BEFORE_ALL ? "first" : priority}
      </td>
      <td data-label="runs for">
        {conditions.length === 0
          ? "every event"
          : conditions.map(([key, value]) => (
              <code key={key}>
                {key} {plain(value)}{" "}
              </code>
            ))}
      </td>
      <td data-label="from">
        {origin}
        {source !== undefined && <div class="dim">{source}</div>}
      </td>
    </tr>
  );
}
