import { isPlainObject, OrcsError } from "../core/index.ts";
import { PendingQuestions } from "../daemon/index.ts";
import type { PendingQuestion } from "../daemon/index.ts";
import { askText, shown } from "./ask-terminal.ts";
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
  for (const question of waiting) await answerOne(question, questions);
}

/** The value of `hil.answer` that it needs. */
const WAY = "terminal";

async function answerOne(question: PendingQuestion, questions: PendingQuestions): Promise<void> {
  const { id, agent, cwd, effects, until } = question;
  const left = Math.max(0, Math.round((until - Date.now()) / 1000));
  const args = isPlainObject(question.args) ? question.args : {};
  const lines = [
    ...askText({ ...question, args }, true),
    ...effects.map((text) => `  it ${shown(text, 400)}`),
    `  ${agent}${cwd === undefined ? "" : ` in ${shown(cwd, 300)}`} waits ${counted(left, "second")} more`,
    "May it run? [y/N, or s for this session] ",
  ];
  const said = await ask(lines.join("\n"));
  const isForSession = /^s(ession)?$/i.test(said.trim());
  const approved = isForSession || isYes(said);
  questions.answer(id, { approved, scope: isForSession ? "session" : "call", by: "terminal" });
  print(approved ? "it may run" : "denied");
}
