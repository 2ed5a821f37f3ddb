import { resolve } from "node:path";
import { messageOf, readJsonObject, type Logger } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import { runProcess, userFolders } from "../../machine/index.ts";
import { askServer } from "./answer-url.ts";
import { answerIn, PendingQuestions } from "./pending-questions.ts";
import type { Answer, PendingQuestion, QuestionText } from "./pending-questions.ts";

type Ways = Pick<
  Orcs["settings"]["hil"],
  "answer" | "answer_command" | "answer_url" | "answer_key_file"
>;

/** The ways of a person who comes to the question. */
const COMES: ReadonlySet<string> = new Set(["terminal", "inspector"]);

/** The longest that a command may print, in bytes. */
const MOST_PRINTED = 10_000;

/**
 * Has a person answer for a call of a coding agent, in all ways that are set; the first answer counts. Never rejects.
 * @param digest see `PendingQuestions.digestOf`
 * @param until when its agent waits no longer, in milliseconds since 1970
 * @returns whether it may run; if nobody said so, why not: a clause
 */
export async function askPerson(
  text: QuestionText,
  digest: string,
  until: number,
  ways: Ways,
  logger: Logger,
  questions = new PendingQuestions(),
): Promise<
  | { readonly approved: true; readonly by: string }
  | { readonly approved: false; readonly by?: string; readonly why: string }
> {
  const over = new AbortController();
  try {
    const opened = questions.open(text, digest, until);
    if ("refused" in opened) return { approved: false, why: opened.refused };
    if ("answered" in opened) return { approved: true, by: opened.answered.by };
    const { question, isOwn } = opened;
    const timer = setTimeout(() => over.abort(), Math.max(0, until - Date.now()));
    const problems: string[] = [];
    const failed = (thrown: unknown): void => {
      logger.error(messageOf(thrown));
      problems.push(messageOf(thrown));
    };
    try {
      if (isOwn) {
        const elsewhere = askElsewhere(question, ways, questions, failed, over.signal);
        const isAlone = !ways.answer.some((way) => COMES.has(way));
        // Then nobody is left who could answer.
        if (isAlone) void elsewhere.finally(() => over.abort());
      }
      const answer = await questions.wait(question, isOwn, over.signal);
      if (answer === undefined) {
        const seconds = Math.round((Date.now() - question.at) / 1000);
        const what = problems.length === 0 ? "" : ` (${[...new Set(problems)].join("; ")})`;
        return { approved: false, why: `nobody answered within ${seconds} s${what}` };
      }
      const { approved, by } = answer;
      return approved
        ? { approved, by }
        : { approved, by, why: `the person who was asked said no (${by})` };
    } finally {
      clearTimeout(timer);
    }
  } catch (thrown) {
    return { approved: false, why: `nobody can be asked: ${messageOf(thrown)}` };
  } finally {
    over.abort();
  }
}

/** The ways that do not come to the question by themselves. What one of them says becomes the answer. */
async function askElsewhere(
  question: PendingQuestion,
  { answer, answer_command: command, answer_url: url, answer_key_file: keyFile }: Ways,
  questions: PendingQuestions,
  failed: (thrown: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const asked: Promise<Answer | undefined>[] = [];
  if (answer.includes("command") && command) asked.push(askCommand(command, question, signal));
  if (answer.includes("url") && url !== undefined && keyFile !== undefined) {
    asked.push(askServer(url, keyFile, question, signal, failed));
  }
  await Promise.all(
    asked.map(async (way) => {
      try {
        const said = await way;
        if (said && !signal.aborted) questions.answer(question.id, said);
      } catch (thrown) {
        if (!signal.aborted) failed(thrown);
      }
    }),
  );
}

/** Run the user's program. @throws Error when it answers nothing */
async function askCommand(
  [program = "", ...args]: readonly string[],
  question: PendingQuestion,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const { config: folder } = userFolders();
  const file = program.includes("/") ? resolve(folder, program) : program;
  const ended = await runProcess({
    file,
    args,
    // Not the agent's folder, which has files of the agent.
    cwd: folder,
    env: process.env as Record<string, string>,
    stdin: JSON.stringify(question),
    timeoutMs: Math.max(1, question.until - Date.now()),
    maxOutputBytes: MOST_PRINTED,
    signal,
  });
  if (signal.aborted) return undefined;
  const isDone = ended.kind === "exited" && ended.code === 0;
  const read = readJsonObject(isDone ? Buffer.from(ended.stdout).toString("utf8") : "");
  const said = read.ok ? answerIn(read.value, "command") : undefined;
  if (said) return said;
  throw new Error(
    `hil.answer_command ended (${ended.kind}) without {"answer":"allow"} or {"answer":"deny"}`,
  );
}
