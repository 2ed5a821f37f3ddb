import { useEffect, useRef, useState } from "preact/hooks";
import type {
  Detail,
  ReplayAnswer,
  SavedAnswer,
  ScriptAnswer,
} from "../../build/workbench/inspect/api.d.ts";
import { read, send } from "./api.ts";
import { json, messageOf } from "./format.ts";

/** Run an event again, with the hooks as they are or as they are edited here, and keep it as a test. */
export function Replay({ detail }: { readonly detail: Detail }) {
  const [answer, setAnswer] = useState<ReplayAnswer>();
  const [saved, setSaved] = useState<SavedAnswer>();
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [script, setScript] = useState<ScriptAnswer>();
  const edited = useRef<string | undefined>(undefined);
  const { dispatch_id: id } = detail;
  const source = sourceOf(detail);

  const work = async (what: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await what();
    } catch (thrown) {
      setError(messageOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  const replay = (): Promise<void> =>
    work(async () => {
      const text = edited.current;
      const change = text === undefined ? {} : { edited: { source, text } };
      setAnswer(await send<ReplayAnswer>("replay", { id, ...change }));
    });
  const save = (): Promise<void> =>
    work(async () => setSaved(await send<SavedAnswer>("save-test", { id })));
  const edit = (): Promise<void> =>
    work(async () => {
      const path = `script?source=${encodeURIComponent(source ?? "")}`;
      setScript(await read<ScriptAnswer>(path));
    });

  return (
    <section class="replay" aria-label="Replay">
      <div class="buttons">
        <button disabled={isBusy} onClick={() => void save()}>
          Save as test
        </button>
        <button disabled={isBusy} onClick={() => void replay()}>
          {script ? "Replay with this text" : "Replay"}
        </button>
        {source !== undefined && !script && (
          <button disabled={isBusy} onClick={() => void edit()}>
            Edit {source}
          </button>
        )}
      </div>
      {error !== undefined && <p class="problem">{error}</p>}
      {saved && <Saved saved={saved} />}
      {script && <Editor script={script} changed={(text) => (edited.current = text)} />}
      {answer && <Compared answer={answer} />}
    </section>
  );
}

function Saved({ saved }: { readonly saved: SavedAnswer }) {
  const { file, ok, passed, failed, is_new, text } = saved;
  const how = is_new ? "written to" : "is already in";
  return (
    <>
      <p class={ok ? "good" : "problem"} role="status">
        {ok ? "✓" : "✗"} The test {how} {file}: {passed} passed
        {failed > 0 && `, ${failed} failed`}. Run it with <code>orcs test {file}</code>.
      </p>
      {is_new && <pre class="json">{text.trim()}</pre>}
    </>
  );
}

function Compared({ answer }: { readonly answer: ReplayAnswer }) {
  if ("problems" in answer) {
    return (
      <div class="problem" role="status">
        The hooks do not load:
        {answer.problems.map(({ message, file, line }) => (
          <div key={message}>
            {file}:{line}: {message}
          </div>
        ))}
      </div>
    );
  }
  const { was, is, differs, logs, unrecorded, not_run } = answer;
  return (
    <div class="compared">
      <p class={differs.length === 0 ? "good" : "reason asked"} role="status">
        {differs.length === 0
          ? "The same outcome as before."
          : `Differs in: ${differs.join(", ")}.`}
      </p>
      <div class="sides">
        <div>
          <h3>Before</h3>
          <pre class="json">{json(was)}</pre>
        </div>
        <div>
          <h3>Now</h3>
          <pre class="json">{json(is)}</pre>
        </div>
      </div>
      {logs.length > 0 && (
        <>
          <h3>Log lines</h3>
          <pre class="json">{logs.join("\n")}</pre>
        </>
      )}
      {unrecorded.length > 0 && (
        <p class="why">No tool ran; these calls of hooks had no result: {unrecorded.join(", ")}.</p>
      )}
      {not_run.length > 0 && (
        <p class="why">Not run, because they leave the process: {not_run.join(", ")}.</p>
      )}
    </div>
  );
}

interface EditorProps {
  readonly script: ScriptAnswer;
  readonly changed: (text: string) => void;
}

function Editor({ script, changed }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let close: (() => void) | undefined;
    let isOver = false;
    const load = async (): Promise<void> => {
      const { openEditor } = await import("./editor.ts");
      if (!isOver && host.current) close = openEditor(host.current, script.text, changed);
    };
    void load();
    return () => {
      isOver = true;
      close?.();
    };
  }, [script]);
  return <div class="editor" ref={host} />;
}

/** The file of the hook that decided or changed something, if it is a script. */
function sourceOf({ outcome, hooks }: Detail): string | undefined {
  const step =
    hooks.find(({ hook }) => hook === outcome.hook) ??
    hooks.findLast(({ patch }) => patch !== undefined) ??
    hooks.find(({ status }) => status === "failed");
  const file = step?.source?.file;
  return file?.endsWith(".lua") === true ? file : undefined;
}
