import { type PendingQuestion, PendingQuestions } from "../agents/index.ts";
import { isPlainObject, OrcsError } from "../core/index.ts";
import { realpath } from "../machine/index.ts";
import { ApprovalCodes } from "../workbench/index.ts";
import { askText, shown } from "./ask-terminal.ts";
import { requireTrustLine } from "./audit-trust.ts";
import { print } from "./output.ts";
import { ask, canAsk, isYes } from "./question.ts";
import { counted } from "./table.ts";

/** `orcs status --answer`: show each call that waits, whole, and ask whether it may run. @throws OrcsError ORCS5001 */
export async function answerQuestions(questions = new PendingQuestions()): Promise<void> {
  if (!canAsk()) {
    throw new OrcsError("ORCS5001", "--answer asks at a terminal, and this is none");
  }
  const waiting = questions.list(WAY);
  if (waiting.length === 0) return print("nothing waits for an answer");
  for (const question of waiting) {
    try {
      print(await answerOne(question, questions));
    } catch (thrown) {
      // The others still wait: one was answered elsewhere, or its time is over.
      if (!(thrown instanceof OrcsError) || questions.list(WAY).length === 0) throw thrown;
      print(thrown.message);
    }
  }
}

/** The value of `hil.answer` that it needs. */
const WAY = "terminal";

/** @returns what became of it */
async function answerOne(question: PendingQuestion, questions: PendingQuestions): Promise<string> {
  const { id, agent, cwd, effects, until, about, session } = question;
  const left = Math.max(0, Math.round((until - Date.now()) / 1000));
  const args = isPlainObject(question.args) ? question.args : {};
  const codes = new ApprovalCodes();
  const code = codes.make(id);
  const forGood = question.isEnforced ? "" : ` · ${code}: each equal call in this folder, for good`;
  const lines = [
    ...askText({ ...question, args }, true),
    ...effects.map((text) => `  it ${shown(text, 400)}`),
    `  ${agent}${cwd === undefined ? "" : ` in ${shown(cwd, 300)}`} waits ${counted(left, "second")} more`,
    `  y: once · s: each equal call of this session${forGood}`,
    "May it run? [y/N] ",
  ];
  const said = (await ask(lines.join("\n"))).trim();
  const scope = isYes(said) ? "call" : /^s(ession)?$/i.test(said) ? "session" : "always";
  if (scope === "always" && said.length < code.length) {
    questions.answer(id, { approved: false, scope: "call", by: WAY });
    return "denied";
  }
  if (scope === "always") {
    // Whoever mistypes the code has said neither yes nor no.
    codes.use(id, said);
    const directory = realpath(cwd ?? "/");
    const line = { action: "loosened", verb: "status --answer", line: about, session } as const;
    await requireTrustLine({ ...line, directory });
  }
  questions.answer(id, { approved: true, scope, by: WAY });
  return scope === "always"
    ? `it may run, now and later: orcs rules allow --forget ${question.digest.slice(0, 8)} takes that back`
    : "it may run";
}
