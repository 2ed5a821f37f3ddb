import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { HostAnswer } from "../../formats/index.ts";
import { runPiped } from "../../machine/index.ts";
import type { EvaluationRequest, EvaluationResult } from "./evaluate.ts";
import { printSync } from "./event-io.ts";

/** The stdin of the process that evaluates separately. */
export interface ChildRequest {
  readonly asked: EvaluationRequest;
  /** Prefix of each line that is meant for us: modules may write to stdout as well. */
  readonly mark: string;
}

/** The lines it writes, after the prefix. */
export type ChildLine =
  /** The maximum load time when loading begins; null when it has ended. */
  { readonly loading: number | null } | { readonly answer: HostAnswer };

const CHILD_ENTRY = fileURLToPath(new URL("./apart.js", import.meta.url));
/** Why it ends itself. */
const BLOCKED = " (it ends when a module blocks its thread for longer than the longest timeout_ms)";
/** Share of the time for the hooks; the rest is for a denial. */
const HOOKS_SHARE = 0.9;
/**
 * How much longer than allowed loading may take before the process is killed, in milliseconds: the process reports by
 * itself what took so long.
 */
const GRACE_MS = 500;
/** Shortest time between two looks at its CPU time, in milliseconds. */
const LOOK_MS = 100;

/**
 * Answer an event in a separate process, which can be killed whatever it waits for.
 * @param until deadline of the response, by `performance.now()`
 * @param refuse the response when no hook can be run
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
  const answered = new Promise<HostAnswer | string>((resolve) => (settle = resolve));
  let loading: NodeJS.Timeout | undefined;
  /** Why it is late while it loads. */
  let slowLoad: string | undefined;
  const late = setTimeout(
    () =>
      settle(
        slowLoad ??
          `ORCS7002: its hooks took longer than the ${Math.round(withinMs)} ms that were left`,
      ),
    withinMs,
  );
  const limitLoading = (ms: number, used = usedBy(child.pid)): void => {
    const left = ms - used();
    if (left <= 0) settle(slowLoad ?? "");
    else loading = setTimeout(() => limitLoading(ms, used), Math.max(left, LOOK_MS));
  };
  createInterface({ input: child.stdout }).on("line", (text) => {
    if (!text.startsWith(mark)) return void printSync(2, `${text}\n`);
    const line = JSON.parse(text.slice(mark.length)) as ChildLine;
    if ("answer" in line) return settle(line.answer);
    clearTimeout(loading);
    const { loading: ms } = line;
    slowLoad =
      ms === null
        ? undefined
        : `ORCS1021: scripts and modules took longer than ${ms} ms to load (engine.load_ms)`;
    if (ms !== null) limitLoading(ms + GRACE_MS);
    return undefined;
  });
  const died = async (): Promise<void> => {
    const end = await child.ended;
    const how =
      end.kind === "exited"
        ? `exit code ${end.code}`
        : end.kind === "signalled"
          ? `${end.signal}${BLOCKED}`
          : end.error;
    settle(`ORCS7002: the process that runs its modules ended without a result: ${how}`);
  };
  void died();
  const answer = await answered;
  clearTimeout(late);
  clearTimeout(loading);
  if (typeof answer !== "string") {
    // It continues for asynchronous hooks, and starts the service.
    return { answer, finish: async () => void (await child.ended) };
  }
  child.stop(0);
  return { answer: await refuse(answer) };
}

/** Milliseconds that a process has used from now on: CPU time where it is known, because the machine may be busy. */
function usedBy(pid: number | undefined): () => number {
  const began = performance.now();
  const cpuMs = (): number => {
    try {
      return Number.parseInt(readFileSync(`/proc/${pid}/schedstat`, "latin1"), 10) / 1e6;
    } catch {
      return Number.NaN;
    }
  };
  const from = cpuMs();
  return () => (Number.isNaN(from) ? performance.now() - began : cpuMs() - from);
}
