import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type HookPackage, readPackage } from "../config/index.ts";
import {
  createFiles,
  fileBytes,
  inTemporaryFolder,
  realpath,
  runProcess,
} from "../machine/index.ts";
import { isPlainObject, messageOf, OrcsError } from "../core/index.ts";
import type { Diagnostic, ErrorCode } from "../core/index.ts";
import { type BundleProof, isProven, provePackage } from "./bundle-proof.ts";
import { diagnosticsText, flatDiagnostic } from "./diagnostics-text.ts";
import { counted, escapeUntrusted, renderTable } from "./table.ts";
import { EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printJson, tell } from "./output.ts";
import { contentText, installPrograms, packageHooks } from "./packages/package-preview.ts";
import { paletteFor, Progress } from "./terminal.ts";
import { verbCommand } from "./verb-command.ts";

/** `orcs package pack`: check a package of hooks as npm would publish it. */
export const packCommand = verbCommand("package pack", {
  options: { json: JSON_OUTPUT },
  help:
    "It reads package.json, and runs orcs check and orcs test on the files that npm pack lists, and on no others.\n" +
    "It publishes nothing and writes nothing.\n\n" +
    "Exit code: 0 it can be published, 1 an error was found or a test failed, 2 it is not a package.\n\n" +
    "Example:\n  orcs package pack && npm publish",
  run: pack,
});

/** A package as npm would publish it. */
interface Packed {
  readonly found: HookPackage;
  readonly npm: NpmPackage;
  readonly proof: BundleProof;
}

async function pack({ json = false }: { json?: boolean }, dir: string | undefined): Promise<void> {
  const folder = realpath(resolve(dir ?? "."));
  // What is wrong in the folder itself first: its message has the right paths.
  const source = readPackage(folder);
  const progress = new Progress(process.stderr, "checking the package");
  const checked = inTemporaryFolder("orcs-pack-", async (temporary) => {
    const copy = realpath(temporary);
    const npm = await npmFiles(folder);
    createFiles(copy, luaOf(npm, folder));
    const unpublished = missingIn(copy, source);
    const problems = [...unpublished, ...installProblems(source, npm)];
    const found = unpublished.length > 0 ? source : readPackage(copy);
    const proof = unpublished.length > 0 ? NOT_RUN : await provePackage(found);
    const diagnostics = [...problems, ...proof.diagnostics, ...untested(problems, proof)];
    progress.clear();
    report({ found, npm, proof: { ...proof, diagnostics } }, json);
  });
  await checked.finally(() => progress.close());
}

const NOT_RUN: BundleProof = { diagnostics: [], failed: [], passed: 0, hooks: 0 };

/** Only these files are read by orcs. */
function luaOf({ files }: NpmPackage, folder: string): ReadonlyMap<string, Uint8Array> {
  const read = files.filter(({ path }) => path === "package.json" || path.endsWith(".lua"));
  return new Map(read.map(({ path }) => [path, fileBytes(join(folder, path))]));
}

/** Files that the package needs, and npm would not publish. */
function missingIn(copy: string, { files }: HookPackage): Diagnostic[] {
  return [...files.keys()]
    .filter((file) => !existsSync(join(copy, file)))
    .map((file) =>
      problem("ORCS9311", `npm does not publish ${file}: add it to "files" in package.json`),
    );
}

function installProblems(source: HookPackage, { files }: NpmPackage): Diagnostic[] {
  const published = files.map(({ path }) => path);
  return installPrograms(source)
    .filter((name) => name !== "binding.gyp" || published.includes(name))
    .map((name) => {
      const why = "users install a package of hooks with --ignore-scripts, and it must work so";
      return problem("ORCS9310", `npm runs ${name} of this package when it installs it: ${why}`);
    });
}

function untested(problems: readonly Diagnostic[], proof: BundleProof): Diagnostic[] {
  if (problems.length > 0 || !isProven(proof) || proof.passed > 0) return [];
  const why = "orcs package update runs the tests of a package before it accepts a new version";
  return [{ ...problem("ORCS9313", `no tests are published: ${why}`), severity: "warning" }];
}

function problem(code: ErrorCode, message: string): Diagnostic {
  return { code, severity: "error", message };
}

function report(packed: Packed, json: boolean): void {
  const { found, npm, proof } = packed;
  const ok = isProven(proof);
  if (!ok) process.exitCode = EXIT.findings;
  if (json) {
    return printJson({
      ok,
      name: found.name,
      version: found.version,
      size: npm.size,
      unpacked_size: npm.unpackedSize,
      files: npm.files.map(({ path, size }) => ({ path, size })),
      hooks: packageHooks(found),
      options: found.options,
      passed: proof.passed,
      failed: proof.failed,
      diagnostics: proof.diagnostics.map(flatDiagnostic),
    });
  }
  print(text(packed));
  const shown = diagnosticsText(proof.diagnostics, paletteFor(process.stderr));
  const wrong = [shown, ...proof.failed].filter((each) => each !== "");
  if (wrong.length > 0) tell(wrong.join("\n\n"));
}

function text({ found, npm, proof }: Packed): string {
  const rows = npm.files.map(({ path, size }) => [escapeUntrusted(path), String(size)]);
  const { passed, failed } = proof;
  const tests = `${counted(passed, "test")} passed, ${failed.length} failed`;
  return [
    escapeUntrusted(`${found.name} ${found.version}: ${npm.size} bytes as an archive`),
    "",
    contentText(found),
    "",
    renderTable(["file", "bytes"], rows),
    "",
    isProven(proof) ? `${tests}; next: npm publish` : `${tests}; it should not be published`,
  ].join("\n");
}

/** What `npm publish` would send. */
interface NpmPackage {
  /** Bytes of the archive. */
  readonly size: number;
  /** Bytes of all files. */
  readonly unpackedSize: number;
  readonly files: readonly NpmFile[];
}

/** A published file. */
interface NpmFile {
  /** In the package, with `/`. */
  readonly path: string;
  readonly size: number;
}

const LIST = "npm pack --dry-run --json --ignore-scripts";
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 16 * 2 ** 20;

/** Ask npm which files it would publish; it runs no script, and writes nothing. @throws OrcsError ORCS9309 */
async function npmFiles(folder: string): Promise<NpmPackage> {
  const done = await runProcess({
    command: LIST,
    cwd: folder,
    env: process.env as Record<string, string>,
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  if (done.kind === "not_started") throw notListed(folder, done.error);
  const text = Buffer.from(done.stdout).toString("utf8");
  if (done.kind !== "exited" || done.code !== 0) {
    const said = Buffer.from(done.stderr)
      .toString("utf8")
      .trim()
      .split("\n")
      .slice(0, 3)
      .join("; ");
    throw notListed(folder, said === "" ? done.kind : said);
  }
  try {
    return listed(JSON.parse(text));
  } catch (thrown) {
    throw notListed(folder, messageOf(thrown));
  }
}

/** npm prints a list with one package. */
function listed(printed: unknown): NpmPackage {
  const [first] = Array.isArray(printed) ? (printed as unknown[]) : [];
  const { size, unpackedSize, files } = isPlainObject(first) ? first : {};
  if (typeof size !== "number" || typeof unpackedSize !== "number" || !Array.isArray(files)) {
    throw new Error("its output has an unknown form");
  }
  return { size, unpackedSize, files: files.map(fileOf) };
}

function fileOf(file: unknown): NpmFile {
  const { path, size } = isPlainObject(file) ? file : {};
  if (typeof path === "string" && typeof size === "number") return { path, size };
  throw new Error("its output has a file of an unknown form");
}

function notListed(folder: string, why: string): OrcsError {
  return new OrcsError("ORCS9309", `${LIST} failed in ${folder}: ${why}`, { folder });
}
