import { isPlainObject, messageOf, OrcsError } from "../../core/index.ts";
import { runProcess } from "../../machine/index.ts";

/** What `npm publish` would send. */
export interface NpmPackage {
  /** Bytes of the archive. */
  readonly size: number;
  /** Bytes of all files. */
  readonly unpackedSize: number;
  readonly files: readonly NpmFile[];
}

/** A published file. */
export interface NpmFile {
  /** In the package, with `/`. */
  readonly path: string;
  readonly size: number;
}

const LIST = "npm pack --dry-run --json --ignore-scripts";
const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 16 * 2 ** 20;

/** Ask npm which files it would publish; it runs no script, and writes nothing. @throws OrcsError ORCS9309 */
export async function npmFiles(folder: string): Promise<NpmPackage> {
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
