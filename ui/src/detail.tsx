import { useEffect, useState } from "preact/hooks";
import type { Detail as DetailData, Row, ShownStep } from "../../build/workbench/inspect/api.d.ts";
import { read, send } from "./api.ts";
import { CodeForm } from "./code-form.tsx";
import { Replay } from "./replay.tsx";
import { agentName, clock, duration, json, messageOf, plain } from "./format.ts";

interface DetailProps {
  readonly id: string;
  /** Its row: another one when a hook has run after the dispatch. */
  readonly row: Row | undefined;
  readonly onClose: () => void;
  readonly onSelect: (id: string) => void;
}

/** One dispatch: its outcome, the chain as it ran, and its payload. */
export function Detail({ id, row, onClose, onSelect }: DetailProps) {
  const [detail, setDetail] = useState<DetailData>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    read<DetailData>(`dispatch/${encodeURIComponent(id)}`).then(setDetail, (thrown: unknown) =>
      setError(messageOf(thrown)),
    );
  }, [id, row]);
  return (
    <section class="detail" aria-label="Event">
      <button class="close" title="Close (Esc)" aria-label="Close" onClick={onClose}>
        ×
      </button>
      {error !== undefined && <p class="problem">{error}</p>}
      {detail && <Shown detail={detail} onSelect={onSelect} onDetail={setDetail} />}
    </section>
  );
}

interface ShownProps extends Pick<DetailProps, "onSelect"> {
  readonly detail: DetailData;
  readonly onDetail: (detail: DetailData) => void;
}

function Shown({ detail, onSelect, onDetail }: ShownProps) {
  const { point, component, session_id, parent_id, began, duration_ms, outcome, payload } = detail;
  const { verdict, subject, does, hooks, undo, past } = detail;
  const { tool_name: tool } = payload;
  const [showsAll, setShowsAll] = useState(false);
  const quiet = hooks.filter(({ status }) => QUIET.has(status));
  const shown = showsAll ? hooks : hooks.filter((step) => !quiet.includes(step));
  return (
    <>
      <h2>
        <span class={`verdict ${verdict}`}>{verdict}</span> {plain(tool ?? point)}
      </h2>
      {subject !== undefined && <pre class="subject">{subject}</pre>}
      {does && <p class="why">{does.join(" · ")}</p>}
      {outcome.reason !== undefined && (
        <p class={`reason ${verdict}`}>
          {outcome.reason}
          {outcome.hook !== undefined && <span class="by"> — {outcome.hook}</span>}
        </p>
      )}
      <dl class="facts">
        <dt>point</dt>
        <dd>{point}</dd>
        <dt>agent</dt>
        <dd>{agentName(component)}</dd>
        {session_id !== undefined && (
          <>
            <dt>session</dt>
            <dd>{session_id}</dd>
          </>
        )}
        <dt>time</dt>
        <dd>
          {clock(began)}, {duration(duration_ms)}
        </dd>
        {parent_id !== undefined && (
          <>
            <dt>called by</dt>
            <dd>
              a hook in <button onClick={() => onSelect(parent_id)}>{parent_id}</button>
            </dd>
          </>
        )}
      </dl>

      {undo && <Undo id={detail.dispatch_id} undo={undo} onDetail={onDetail} />}

      {past ? (
        <p class="empty">
          From the audit log, which does not have the payload: it cannot be replayed or saved as a
          test.
        </p>
      ) : (
        <Replay detail={detail} />
      )}

      <h3>Hooks</h3>
      {hooks.length === 0 && (
        <p class="empty">{past ? "The log names no hook." : "No hook is on this point."}</p>
      )}
      <ol class="chain">
        {shown.map((step) => (
          <Step key={`${step.hook} ${step.mode}`} step={step} payload={detail} />
        ))}
      </ol>
      {quiet.length > 0 && (
        <button class="more" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? "Hide" : "Show"} {quiet.length} that did not run
        </button>
      )}

      {!past && (
        <>
          <h3>Payload</h3>
          <pre class="json">{JSON.stringify(payload, null, 2)}</pre>
        </>
      )}
      {outcome.inject && (
        <>
          <h3>Texts for the model</h3>
          <pre class="json">{JSON.stringify(outcome.inject, null, 2)}</pre>
        </>
      )}
      {"result" in outcome && (
        <>
          <h3>Result</h3>
          <pre class="json">{JSON.stringify(outcome.result, null, 2)}</pre>
        </>
      )}
    </>
  );
}

interface UndoProps extends Pick<ShownProps, "onDetail"> {
  /** Of the dispatch. */
  readonly id: string;
  readonly undo: NonNullable<DetailData["undo"]>;
}

/** What the undo point of a call would give back, and restoring it with a code. */
function Undo({ id, undo, onDetail }: UndoProps) {
  const { changes, problem } = undo;
  const [error, setError] = useState<string>();
  const act = async (what: "code" | "restore", more?: object): Promise<void> => {
    try {
      onDetail(await send<DetailData>(`undo/${what}`, { id, ...more }));
      setError(undefined);
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  return (
    <>
      <h3>Undo point {undo.id}</h3>
      {problem !== undefined && <p class="empty">Not all of it: {problem}</p>}
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {changes.length === 0 ? (
        <p class="empty">There is nothing to restore.</p>
      ) : (
        <>
          <pre class="json">{changes.join("\n")}</pre>
          <CodeForm
            what="Restore"
            ask={() => act("code")}
            send={(code) => act("restore", { code })}
          />
        </>
      )}
    </>
  );
}

/** What did not match, and what had no turn: it might not have matched either. */
const QUIET: ReadonlySet<string> = new Set(["not_matched", "disabled", "not_reached"]);

const STATUS: Readonly<Record<ShownStep["status"], string>> = {
  ran: "ran",
  not_matched: "did not match",
  disabled: "disabled",
  not_reached: "not reached",
  queued: "runs later",
  failed: "failed",
  timed_out: "timed out",
};

function Step({ step, payload }: { readonly step: ShownStep; readonly payload: DetailData }) {
  const { hook, status, place, code, failing, mismatch, action, decision, reason } = step;
  const { duration_us, patch, traceback, unreadable, unsure, dropped, mode, effects, logs } = step;
  const did = decision ?? (action === "abort" ? "deny" : action);
  const hasDecided = status === "ran" && did !== undefined && did !== "continue";
  const said = !hasDecided ? STATUS[status] : mode === undefined ? did : `would ${did}`;
  return (
    <li class={`step ${status} ${mode === undefined ? (did ?? "") : "unenforced"}`}>
      <div class="step-head">
        <b>{hook}</b> <span class="said">{said}</span>
        {mode !== undefined && <span class="mode">{MODES[mode]}</span>}
        {duration_us !== undefined && <span class="ms">{duration(duration_us / 1000)}</span>}
      </div>
      {reason !== undefined && <p class="why">{reason}</p>}
      {failing !== undefined && (
        <p class="why">
          <code>{failing}</code> wants <code>{plain(mismatch?.pattern)}</code>
          {mismatch && "value" in mismatch ? (
            <>
              , and it is <code>{plain(mismatch.value)}</code>
            </>
          ) : (
            ", which this event does not have"
          )}
          {mismatch?.nearest !== undefined && (
            <>
              ; did you mean <code>{mismatch.nearest}</code>?
            </>
          )}
        </p>
      )}
      {unreadable !== undefined && (
        <p class="why">the command line could not be read: {unreadable}</p>
      )}
      {unsure !== undefined && <p class="why">not sure: {unsure}</p>}
      {dropped && <p class="why">ignored: {dropped.join(", ")}</p>}
      {patch?.map((change) => (
        <div class="change" key={change.path}>
          <code class="path">{change.path}</code>
          {change.op !== "add" && <del>{plain(valueAt(payload, change.path))}</del>}
          {change.op !== "remove" && <ins>{plain(change.value)}</ins>}
        </div>
      ))}
      {logs && <pre class="json">{logs.join("\n")}</pre>}
      {effects?.map(({ call, ran }) => (
        <p class="why" key={call}>
          {ran ? "called" : "would have called"} {call}
        </p>
      ))}
      {traceback && <pre class="trace">{json(traceback)}</pre>}
      {place !== undefined && (
        <div class="source-line">
          <span>{place}</span>
          {code !== undefined && <code>{code}</code>}
        </div>
      )}
    </li>
  );
}

const MODES = { audit: "not enforced", warn: "told, not enforced" };

/** The value at a JSON Pointer before any hook. */
function valueAt(root: object, pointer: string): unknown {
  let value: unknown = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
