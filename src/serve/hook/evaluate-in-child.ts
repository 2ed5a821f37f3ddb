import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { HostAnswer } from "../../protocols/host-protocol.ts";
import { runPiped } from "../../spawn/run-piped.ts";
import type { EvaluationRequest, EvaluationResult } from "./evaluate.ts";
import { printSync } from "./event-io.ts";

/** What the process that evaluates apart is given on its stdin. */
export interface ChildRequest {
  readonly asked: EvaluationRequest;
  /** Before each line that is meant for us: modules may write to stdout, too. */
  readonly mark: string;
}

/** What it says, a line each, behind the mark. */
export type ChildLine =
  /** Loading has begun, and may take so long; null when it has ended. */
  { readonly loading: number | null } | { readonly answer: HostAnswer };

const CHILD_ENTRY = fileURLToPath(new URL("./apart.js", import.meta.url));
/** Of the time there is, what is for the hooks: the rest is for a refusal. */
const HOOKS_SHARE = 0.9;
/** What loading may take longer than it may, before its process is ended: it says by itself what took so long. */
const GRACE_MS = 500;

/**
 * Answer an event in a process of its own, which can be ended whatever it waits for.
 * @param until when the answer has to be there, by `performance.now()`
 * @param refuse what the host is answered when no hook can be asked
 */
export async function evaluateInChild(
  asked: EvaluationRequest,
  until: number,
  refuse: (why: string) => Promise<HostAnswer>,
): Promise<EvaluationResult> {
  const withinMs = Math.max(1, (until - performance.now()) * HOOKS_SHARE);
  const mark = randomUUID();
  const child = runPiped({ file: process.execPath, args: [CHILD_ENTRY] });
  const request: ChildRequest = { asked: { ...asked, withinMs }, mark };
  child.stdin.end(JSON.stringify(request));
  let settle: (answer: HostAnswer | string) => void = () => undefined;
  const said = new Promise<HostAnswer | string>((resolve) => (settle = resolve));
  const late = setTimeout(
    () =>
      settle(`ORCS7002: its hooks took longer than the ${Math.round(withinMs)} ms that were left`),
    withinMs,
  );
  let loading: NodeJS.Timeout | undefined;
  createInterface({ input: child.stdout }).on("line", (text) => {
    if (!text.startsWith(mark)) return void printSync(2, `${text}\n`);
    const line = JSON.parse(text.slice(mark.length)) as ChildLine;
    if ("answer" in line) return settle(line.answer);
    clearTimeout(loading);
    const { loading: ms } = line;
    if (ms === null) return undefined;
    const why = `ORCS1021: scripts and modules took longer than ${ms} ms to load`;
    loading = setTimeout(() => settle(why), ms + GRACE_MS);
    return undefined;
  });
  const died = async (): Promise<void> => {
    const end = await child.ended;
    const how =
      end.kind === "exited"
        ? `exit code ${end.code}`
        : end.kind === "signalled"
          ? end.signal
          : end.error;
    settle(`ORCS7002: the process that runs its modules ended without a result: ${how}`);
  };
  void died();
  const answer = await said;
  clearTimeout(late);
  clearTimeout(loading);
  if (typeof answer !== "string") {
    // It goes on for asynchronous hooks, and starts the service.
    return { answer, finish: async () => void (await child.ended) };
  }
  child.stop(0);
  return { answer: await refuse(answer) };
}
