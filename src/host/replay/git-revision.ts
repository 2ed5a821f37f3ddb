import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OrcsError } from "../../core/errors.ts";
import type { ProcessResult } from "../../spawn/process-result.ts";
import { runProcess } from "../../spawn/run-process.ts";

/** A folder as it was in a revision. */
export interface CheckedOut {
  /** Its copy. */
  readonly folder: string;
  /** Copy of the top of the repository. */
  readonly top: string;
  remove(): void;
}

/** A large repository on a slow disk, in milliseconds. */
const GIT_MS = 120_000;
const MAX_SAID = 2 ** 20;
/** What git and tar may know of where they run. */
const VARIABLES = ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "LANG"];

/**
 * Copy the files of a git revision into a temporary folder. The repository itself is only read.
 * @param revision as git names them
 * @param folder one of the repository
 * @throws OrcsError ORCS5001 when there is no such revision, no repository or no git
 */
export async function checkedOut(revision: string, folder: string): Promise<CheckedOut> {
  const wrong = (why: string): OrcsError =>
    new OrcsError("ORCS5001", `${revision} is neither a folder nor a revision: ${why}`, {
      revision,
    });
  if (revision === "" || revision.startsWith("-")) throw wrong("that is no name of one");
  const run = async (file: string, ...args: string[]): Promise<string> => {
    const ended = await runProcess({
      file,
      args,
      cwd: folder,
      env: environment(),
      timeoutMs: GIT_MS,
      maxOutputBytes: MAX_SAID,
    });
    if (ended.kind === "exited" && ended.code === 0) return text(ended.stdout).trim();
    throw wrong(whyNot(file, ended));
  };
  // From here on it is a number, whatever it looked like.
  const commit = await run(
    "git",
    "rev-parse",
    "--verify",
    "--end-of-options",
    `${revision}^{commit}`,
  );
  const prefix = await run("git", "rev-parse", "--show-prefix");
  const top = await run("git", "rev-parse", "--show-toplevel");
  const made = realpathSync(mkdtempSync(join(tmpdir(), "orcs-replay-")));
  const remove = (): void => rmSync(made, { recursive: true, force: true });
  try {
    const archive = join(made, "revision.tar");
    const files = join(made, "files");
    mkdirSync(files);
    await run("git", "-C", top, "archive", "--format=tar", `--output=${archive}`, commit);
    await run("tar", "-x", "-f", archive, "-C", files);
    rmSync(archive);
    return { folder: join(files, prefix), top: files, remove };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

function environment(): Record<string, string> {
  const known = VARIABLES.map((name) => [name, process.env[name]] as const);
  const entries = known.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

function whyNot(file: string, ended: ProcessResult): string {
  switch (ended.kind) {
    case "exited": {
      const [line = ""] = text(ended.stderr).trim().split("\n");
      return line === "" ? `${file} ended with code ${ended.code}` : line;
    }
    case "not_started":
      return `${file} cannot be started: ${ended.error}`;
    default:
      return `${file} did not end well (${ended.kind})`;
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}
