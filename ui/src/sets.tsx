import { useEffect, useState } from "preact/hooks";
import type { ActiveHook, SetsAnswer } from "../../build/workbench/inspect/api.d.ts";
import { read } from "./api.ts";
import { messageOf, plain } from "./format.ts";
import { Questions } from "./questions.tsx";
import type { Store } from "./store.ts";

/** What is active, in the order in which it runs, and whether it is trusted. */
export function Sets({ store }: { readonly store: Store }) {
  return (
    <div class="view">
      <Questions store={store} />
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
        <div class={trust.is_active && trust.changed.length === 0 ? "good" : "reason asked"}>
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
          <table>
            <thead>
              <tr>
                <th class="number">priority</th>
                <th>hook</th>
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
  const { id, priority, match, enabled, mode, origin, source } = hook;
  const conditions = Object.entries(match);
  return (
    <tr class={enabled ? "" : "off"}>
      <td class="number" title={String(priority)}>
        {priority <= BEFORE_ALL ? "first" : priority}
      </td>
      <td>
        <b>{id}</b>
        {!enabled && " (disabled)"}
        {mode !== undefined && <span class="mode"> {MODES[mode]}</span>}
      </td>
      <td>
        {conditions.length === 0
          ? "every event"
          : conditions.map(([key, value]) => (
              <code key={key}>
                {key} {plain(value)}{" "}
              </code>
            ))}
      </td>
      <td>
        {origin}
        {source !== undefined && <div class="dim">{source}</div>}
      </td>
    </tr>
  );
}
