import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import type { Attack, AttackReport, Isolation } from "./attack.ts";
import { BUILT } from "./build.ts";
import { NO_HARM } from "./vm-probe.ts";

/** Longest that an attack may take before its process is killed; far beyond every budget. */
const HARD_KILL_MS = 20_000;

export type Attacker = (attack: Omit<Attack, "isolation">) => Promise<AttackReport>;

/**
 * Carries out attacks in a process of its own. One that hangs is killed, its test fails, and the next
 * attack gets a new process.
 */
export function attacker(isolation: Isolation): Attacker {
  let child: ChildProcess | undefined;
  afterAll(() => void child?.kill("SIGKILL"));
  return async (attack) => {
    child ??= start();
    const running = child;
    try {
      const report = await exchange(running, { ...attack, isolation });
      expect(report.lost, "worker threads that were lost").toEqual([]);
      for (const harm of report.harm) expect(harm, "harm outside of the sandbox").toEqual(NO_HARM);
      expect(report.bystander, "another script still answers").toBe(true);
      return report;
    } catch (thrown) {
      running.kill("SIGKILL");
      child = undefined;
      throw thrown;
    }
  };
}

function exchange(child: ChildProcess, attack: Attack): Promise<AttackReport> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(() => reject(new Error("it hung"))), HARD_KILL_MS);
    const died = (code: number | null, signal: string | null): void =>
      end(() => reject(new Error(`the process died: ${code ?? signal}`)));
    const answered = (report: unknown): void => end(() => resolve(report as AttackReport));
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      child.off("exit", died).off("message", answered);
      settle();
    };
    child.on("exit", died).on("message", answered);
    child.send(attack);
  });
}

function start(): ChildProcess {
  return fork(join(BUILT, "test/security/attack-child.js"), {
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: ["--max-old-space-size=1024"],
  });
}
