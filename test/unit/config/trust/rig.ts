import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { inspectProject, trust } from "../../../../src/config/trust/inspect-project.ts";
import type { ProjectInspection } from "../../../../src/config/trust/inspect-project.ts";
import { NO_DIGEST, TrustStore } from "../../../../src/config/trust/trust-store.ts";
import { call, folder, Lines } from "../../engine/orcs/engine.ts";

/** Limits that no script reaches because the machine has other things to do; the end of an `orcs.toml`. */
export const PATIENT = "\n[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n";

/** A `[[hooks]]` table at `tool.pre_execute` unless said otherwise. */
export const hook = (id: string, handler: string, point = "tool.pre_execute"): string =>
  `[[hooks]]\nid = "${id}"\npoint = "${point}"\n${handler}\n`;

/** Somebody's home: their own configuration and state, and nobody else's. */
export interface Home {
  readonly dir: string;
  readonly store: TrustStore;
  /** Of their own configuration. */
  readonly userDir: string;
}

/** For this process, until the test has ended. */
export function home(): Home {
  const dir = folder();
  vi.stubEnv("XDG_STATE_HOME", join(dir, "state"));
  vi.stubEnv("XDG_CONFIG_HOME", join(dir, "config"));
  onTestFinished(() => void vi.unstubAllEnvs());
  return { dir, store: new TrustStore(), userDir: join(dir, "config", "orcs") };
}

/** What would be trusted of a project. */
export function look(dir: string): Promise<ProjectInspection> {
  return inspectProject(dir, new TrustStore());
}

/** Say that a folder is dev-trusted, or nothing more of it, past what `orcs trust` would look at. */
export function say(store: TrustStore, dir: string, entry: "dev" | undefined): void {
  store.change(({ projects }) => {
    for (const [key, { folders }] of projects)
      if (dir in folders || key === dir) projects.delete(key);
    if (entry) projects.set(dir, { dev: true, at: "", folders: { [dir]: NO_DIGEST } });
  });
}

/** Trust a project as it is, or whatever it holds. */
export async function trustIt(dir: string, dev = false): Promise<ProjectInspection> {
  const seen = await look(dir);
  trust(seen, new TrustStore(), dev);
  return seen;
}

/** What is said of it now; "changed" where a trusted set is active, and the folder holds another one. */
export async function stateOf(dir: string): Promise<string> {
  const { standing, isSealed } = await look(dir);
  return standing.state === "trusted" && !isSealed ? "changed" : standing.state;
}

/** SHA-256 of each file that a seal would hold, by its path. */
export function hashesOf({ content }: ProjectInspection): Record<string, string> {
  const files = [...content.files].filter(([, { isDerived }]) => !isDerived);
  return Object.fromEntries(
    files.map(([name, { hash }]) => [name, hash] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** An engine with what is found from a directory, and what it logs; closed after the test. */
export async function found(
  cwd: string,
  options: CreateOrcsOptions = {},
): Promise<{ orcs: Orcs; lines: string[] }> {
  const logger = new Lines();
  const orcs = await createOrcs({ cwd, logger, untrusted: "ignore", ...options });
  onTestFinished(() => orcs.close());
  return { orcs, lines: logger.lines };
}

/** What became of a call, shortly: the reason of a refusal, or what hooks have put down as `said`. */
export async function outcomeOf(
  orcs: Orcs,
  payload: ReturnType<typeof call> & { readonly cwd?: string } = call("x"),
): Promise<unknown> {
  const outcome = await orcs.dispatch("tool.pre_execute", payload);
  return outcome.action === "abort" ? outcome.reason : outcome.ctx.metadata["said"];
}

/** A handler that puts down a text. */
export const says = (text: string): string => `handler_inline = 'ctx.metadata.said = "${text}"'`;
/** A script that does. */
export const saying = (text: string): string =>
  `return function(ctx) ctx.metadata.said = "${text}" end\n`;

/** A link, and the folders above it. */
export function link(at: string, to: string): void {
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(to, at);
}

/** Until it holds; fails after so many milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  within = 10_000,
): Promise<void> {
  const deadline = Date.now() + within;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("it did not come about");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Run git in a folder, as somebody. */
export function git(cwd: string, ...args: string[]): void {
  const who = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd, stdio: "pipe" });
}
