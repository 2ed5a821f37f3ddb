import { useEffect, useState } from "preact/hooks";
import type { Question, QuestionsAnswer } from "../../build/workbench/inspect/api.d.ts";
import { read, send } from "./api.ts";
import { CodeForm } from "./code-form.tsx";
import { clock, json, messageOf } from "./format.ts";
import type { Store } from "./store.ts";

/** Milliseconds between two looks: refused lines are in a file, which tells nobody. */
const LOOK_MS = 2000;

/** What waits for a person: denied here, or approved with a code from the terminal of `orcs ui`. */
export function Questions({ store }: { readonly store: Store }) {
  const [answer, setAnswer] = useState<QuestionsAnswer>();
  const [error, setError] = useState<string>();
  const took = async (request: Promise<QuestionsAnswer>): Promise<void> => {
    try {
      setAnswer(await request);
      setError(undefined);
    } catch (thrown) {
      setError(messageOf(thrown));
    }
  };
  const { questions: waiting } = store.source;
  useEffect(() => {
    const look = (): void => void took(read<QuestionsAnswer>("questions"));
    look();
    const looking = setInterval(look, LOOK_MS);
    return () => clearInterval(looking);
  }, [waiting]);
  if (!answer && error === undefined) return null;
  const { questions = [], can_approve: canApprove = false } = answer ?? {};
  return (
    <section aria-label="Questions">
      <h2>Questions</h2>
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <ul class="questions">
        {questions.map((question) => (
          <Asked
            key={question.id}
            question={question}
            canApprove={canApprove}
            act={(what, more) => took(send(`questions/${what}`, { id: question.id, ...more }))}
          />
        ))}
      </ul>
      {questions.length === 0 && <p class="empty">Nothing waits for an answer.</p>}
      {!canApprove && questions.length > 0 && (
        <p class="empty">
          Approving needs a code, which <code>orcs ui</code> shows when it runs in a terminal.
        </p>
      )}
    </section>
  );
}

interface AskedProps {
  readonly question: Question;
  readonly canApprove: boolean;
  readonly act: (what: "code" | "deny" | "approve", more?: object) => Promise<void>;
}

function Asked({ question, canApprove, act }: AskedProps) {
  const { kind, about, tool, args, effects = [], reason, hook, cwd, session, at } = question;
  return (
    <li>
      <p>
        <span class="verdict asked">{kind === "call" ? "waits" : "refused"}</span>{" "}
        <b>{tool ?? "command"}</b> <span class="dim">{clock(at)}</span>
      </p>
      {args === undefined ? (
        <pre class="subject">{about}</pre>
      ) : (
        <pre class="json">{json(args)}</pre>
      )}
      {effects.length > 0 && <p class="dim">{effects.join(" · ")}</p>}
      {reason !== undefined && (
        <p class="why">
          {reason}
          {hook !== undefined && <span class="by"> — {hook}</span>}
        </p>
      )}
      {cwd !== undefined && (
        <p class="dim">
          {cwd}, session {session}
        </p>
      )}
      <CodeForm
        what={kind === "call" ? "Run it" : "Allow it once"}
        canAsk={canApprove}
        ask={() => act("code")}
        send={(code) => act("approve", { code })}
      >
        <button type="button" onClick={() => void act("deny")}>
          {kind === "call" ? "Deny" : "Dismiss"}
        </button>
      </CodeForm>
    </li>
  );
}
