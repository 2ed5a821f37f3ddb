import { useEffect, useMemo, useState } from "preact/hooks";
import { Live } from "./live.tsx";
import { Numbers } from "./numbers.tsx";
import { Questions } from "./questions.tsx";
import { Sets } from "./sets.tsx";
import { Store, useStore } from "./store.ts";

const VIEWS = [
  { name: "live", title: "Live" },
  { name: "questions", title: "Questions" },
  { name: "sets", title: "Sets" },
  { name: "numbers", title: "Numbers" },
] as const;
type View = (typeof VIEWS)[number]["name"];

export function App() {
  const store = useMemo(() => new Store(), []);
  const [view, setView] = useView();
  useStore(store);
  const { source, lost } = store;
  return (
    <>
      <header>
        <h1>
          orcs <span class="place">{source.watches}</span>
        </h1>
        <nav aria-label="Views">
          {VIEWS.map(({ name, title }, i) => (
            <button
              key={name}
              aria-current={view === name ? "page" : undefined}
              title={`${title} (Alt+${i + 1})`}
              onClick={() => setView(name)}
            >
              {title}
              {name === "questions" && (source.questions ?? 0) > 0 && (
                <span class="badge" title="Questions that wait">
                  {source.questions}
                </span>
              )}
            </button>
          ))}
        </nav>
        <span class={`source ${source.state}`} role="status">
          {source.state === "connected" ? "live" : (source.why ?? source.state)}
          {lost > 0 && `, ${lost} lost`}
        </span>
      </header>
      <main>
        {view === "live" && <Live store={store} />}
        {view === "questions" && (
          <div class="view">
            <Questions store={store} />
          </div>
        )}
        {view === "sets" && <Sets />}
        {view === "numbers" && <Numbers />}
      </main>
    </>
  );
}

/** The view is in the address, so that going back works. */
function useView(): [View, (view: View) => void] {
  const [view, setView] = useState<View>(shownView);
  useEffect(() => {
    const changed = (): void => setView(shownView());
    const pressed = (event: KeyboardEvent): void => {
      const wanted = VIEWS[Number(event.key) - 1];
      if (!event.altKey || !wanted) return;
      event.preventDefault();
      location.hash = wanted.name;
    };
    addEventListener("hashchange", changed);
    addEventListener("keydown", pressed);
    return () => {
      removeEventListener("hashchange", changed);
      removeEventListener("keydown", pressed);
    };
  }, []);
  return [view, (wanted) => (location.hash = wanted)];
}

function shownView(): View {
  const name = location.hash.slice(1).split("/")[0];
  return VIEWS.find((each) => each.name === name)?.name ?? "live";
}
