import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, expect } from "vitest";
import type { Attack, AttackReport } from "./attack.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILT = join(ROOT, "node_modules/.cache/orcs-test-dist");
/** Longest that an attack may take before its process is killed; far beyond every budget. */
const HARD_KILL_MS = 20_000;

/**
 * Carries out attacks in a process of its own. One that hangs is killed, its test fails, and the next
 * attack gets a new process.
 */
export function attacker(): (attack: Attack) => Promise<AttackReport> {
  let child: ChildProcess | undefined;
  afterAll(() => void child?.kill("SIGKILL"));
  return async (attack) => {
    child ??= start();
    const running = child;
    try {
      const report = await exchange(running, attack);
      expect(report.polluted, "prototype pollution").toBeUndefined();
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
  build();
  return fork(join(BUILT, "test/security/attack-child.js"), {
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: ["--max-old-space-size=1024"],
  });
}

/** Compile what the child needs, file by file, as far as it is out of date. Others may do so as well. */
function build(): void {
  const files = ["core", "matchers", "registry", "lua"].flatMap((folder) =>
    filesBelow(join(ROOT, "src", folder)),
  );
  const others = [
    "src/host/memory-state.ts",
    "test/unit/lua/rig.ts",
    "test/security/attack.ts",
    "test/security/attack-child.ts",
  ];
  for (const file of [...files, ...others.map((name) => join(ROOT, name))]) {
    if (!file.endsWith(".ts") || file.endsWith(".d.ts")) continue;
    const target = join(BUILT, relative(ROOT, file).replace(/\.ts$/, ".js"));
    if (isFresh(target, file)) continue;
    const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), {
      fileName: file,
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    put(target, outputText);
  }
  for (const file of filesBelow(join(ROOT, "lua"))) {
    put(join(BUILT, relative(ROOT, file)), readFileSync(file));
  }
  put(join(BUILT, "package.json"), '{ "type": "module" }');
}

function isFresh(target: string, source: string): boolean {
  const built = statSync(target, { throwIfNoEntry: false });
  return built !== undefined && built.mtimeMs > statSync(source).mtimeMs;
}

/** Whole or not at all: another test file may be at it at the same time. */
function put(target: string, content: string | Uint8Array): void {
  mkdirSync(dirname(target), { recursive: true });
  const aside = `${target}.${process.pid}.${Math.random()}`;
  writeFileSync(aside, content);
  renameSync(aside, target);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
