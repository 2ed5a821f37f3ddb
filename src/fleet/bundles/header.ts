import { HOOK_MODES, type HookMode, isPlainObject, jsonOr } from "../../core/index.ts";
import { isSha256 } from "../../machine/index.ts";
import { listProblem } from "./file-names.ts";
import { BUNDLE_LIMITS } from "./limits.ts";

/** A file of a bundle, without its content. */
export interface BundleFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** As hexadecimal digits. */
  readonly sha256: string;
}

/** What whoever builds a bundle states of it. */
export interface BundleStatement {
  /** Letters, digits, `_`, `-` and `.`: revisions are compared among bundles of one name. */
  readonly name: string;
  /** A later bundle has a higher one. */
  readonly revision: number;
  /** Not valid before, ISO 8601 in UTC; null: always. */
  readonly not_before: string | null;
  /** Not valid from then on; null: never. */
  readonly expires: string | null;
  /** The version of orcs that built it. */
  readonly created_by: string;
  /** The lowest version of orcs that can use it. */
  readonly requires: string;
  /** All its hooks that have a stronger mode have this one: `"audit"` puts a revision in shadow. */
  readonly mode: HookMode;
}

/** The signed part of a bundle. */
export interface BundleHeader extends BundleStatement {
  /** The compressed content. */
  readonly payload: { readonly size: number; readonly sha256: string };
  /** In the order of their content, sorted by name. */
  readonly files: readonly BundleFile[];
}

/** The only text of a header: keys in this order, no spaces. Whatever reads a bundle compares with it. */
export function headerText(header: BundleHeader): string {
  const { name, revision, not_before, expires, created_by, requires, mode } = header;
  const payload = { size: header.payload.size, sha256: header.payload.sha256 };
  const files = header.files.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
  const stated = { name, revision, not_before, expires, created_by, requires, mode };
  return JSON.stringify({ ...stated, payload, files });
}

/** The header in a text. @throws Error that says what is wrong */
export function parseHeader(text: string): BundleHeader {
  const read = jsonOr(text);
  if (read === undefined) throw new Error("its header is not JSON");
  if (!isPlainObject(read)) throw new Error("its header is not an object");
  const header = read as unknown as BundleHeader;
  const problem = statementProblem(header) ?? contentProblem(header);
  if (problem !== undefined) throw new Error(problem);
  // Additional keys, keys that are there twice, other orders and other spellings of a value.
  if (headerText(header) !== text) throw new Error("its header is not in canonical form");
  return header;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;
const VERSION = /^\d{1,5}\.\d{1,5}\.\d{1,5}(-[0-9A-Za-z.-]{1,50})?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** What is wrong with the statements about a bundle; undefined if nothing is. */
export function statementProblem(stated: BundleStatement): string | undefined {
  const { name, revision, not_before, expires, created_by, requires, mode } = stated;
  if (typeof name !== "string" || !NAME.test(name))
    return "its name must have 1 to 100 letters, digits, _, - and .";
  if (!isCount(revision, Number.MAX_SAFE_INTEGER) || revision < 1)
    return "its revision must be a whole number from 1";
  if (!isTime(not_before)) return "not_before must be a time such as 2026-12-31T00:00:00Z, or null";
  if (!isTime(expires)) return "expires must be a time such as 2026-12-31T00:00:00Z, or null";
  if (not_before !== null && expires !== null && not_before >= expires)
    return "it expires before it is valid";
  if (!isVersion(created_by)) return "created_by must be a version such as 0.1.0";
  if (!isVersion(requires)) return "requires must be a version such as 0.1.0";
  if (!HOOK_MODES.includes(mode)) return `mode must be one of ${HOOK_MODES.join(", ")}`;
  return undefined;
}

function contentProblem({ payload, files }: BundleHeader): string | undefined {
  if (
    !isPlainObject(payload) ||
    !isCount(payload.size, BUNDLE_LIMITS.file) ||
    !isSha256(payload.sha256)
  )
    return "its payload has no valid size and sha256";
  if (!Array.isArray(files)) return "its files are not a list";
  let expanded = 0;
  for (const file of files as readonly unknown[]) {
    if (!isPlainObject(file) || typeof file["path"] !== "string" || !isSha256(file["sha256"]))
      return "one of its files has no valid path and sha256";
    if (!isCount(file["size"], BUNDLE_LIMITS.oneFile))
      return `${JSON.stringify(file["path"].slice(0, 300))} is larger than ${BUNDLE_LIMITS.oneFile} bytes, or has no size`;
    expanded += file["size"];
  }
  if (expanded > BUNDLE_LIMITS.expanded)
    return `its files have more than ${BUNDLE_LIMITS.expanded} bytes`;
  return listProblem(files.map(({ path }) => path));
}

function isCount(value: unknown, most: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most;
}

function isVersion(value: unknown): boolean {
  return typeof value === "string" && VERSION.test(value);
}

/** A time that exists, in the one form that sorts as text. */
function isTime(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== "string" || !TIME.test(value)) return false;
  const at = new Date(value);
  return !Number.isNaN(at.getTime()) && at.toISOString() === value.replace("Z", ".000Z");
}
