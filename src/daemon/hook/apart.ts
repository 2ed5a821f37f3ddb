import type { ChildLine, ChildRequest } from "./evaluate-in-child.ts";
import { evaluateInThisProcess } from "./evaluate.ts";
import { printSync, readStdin } from "./event-io.ts";

// The process in which `orcs hook` evaluates an event when modules are involved; it is killed when it takes too long.
// Not with a top-level await, for it is bundled as CommonJS; a rejection ends the process all the same.
void answerOne();

async function answerOne(): Promise<never> {
  const stdin = await readStdin(10_000);
  if (!stdin.ok) throw new Error(stdin.why);
  const { asked, mark } = JSON.parse(stdin.text) as ChildRequest;
  const say = (line: ChildLine): void => void printSync(1, `${mark}${JSON.stringify(line)}\n`);
  const evaluated = await evaluateInThisProcess(asked, (ms) => say({ loading: ms ?? null }));
  say({ answer: evaluated.answer });
  await evaluated.finish?.();
  process.exit(0);
}
