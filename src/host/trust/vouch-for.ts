import { inside } from "../../config/inside.ts";
import type { TrustState } from "../../core/trust.ts";
import type { FoundProject, Vouched } from "../../config/vouch.ts";
import { messageOf } from "../../core/errors.ts";
import { realpath } from "../realpath.ts";
import { shownPath } from "./shown-path.ts";
import { TrustSet } from "./trust-set.ts";
import type { Trusted, TrustStore } from "./trust-store.ts";

/**
 * Whether the user trusts what was found: runs nothing, and reads nothing where nobody has said anything of it. Else
 * each file of it is read once.
 */
export async function vouchFor(project: FoundProject, store: TrustStore): Promise<Vouched> {
  const directory = realpath(project.directory);
  const said = saidOf(directory, store);
  return "state" in said
    ? unread(directory, said, store)
    : judged(await TrustSet.of(project), said, store);
}

/** The same of a set that was read already. */
export function vouchedBy(set: TrustSet, store: TrustStore): Vouched {
  return judged(set, saidOf(set.directory, store), store);
}

/** Why nothing counts, before anything is read. */
interface Verdict {
  readonly state: TrustState;
  readonly why: string;
}

function saidOf(directory: string, store: TrustStore): Trusted | Verdict {
  if (inside(directory, store.realPath)) {
    const why = `the trust store ${store.path} lies in what it would vouch for`;
    return { state: "store", why };
  }
  try {
    return store.get(directory) ?? { state: "unknown", why: "nobody has trusted it" };
  } catch (thrown) {
    return { state: "store", why: messageOf(thrown) };
  }
}

function unread(directory: string, { state, why }: Verdict, store: TrustStore): Vouched {
  return {
    directory,
    state,
    why,
    digest: undefined,
    files: [store.path],
    problems: [],
    holds: () => false,
    bytesOf: () => undefined,
    objection: () => undefined,
    stands: () => false,
  };
}

function judged(set: TrustSet, said: Trusted | Verdict, store: TrustStore): Vouched {
  const { directory, problems } = set;
  const { state, why } = "state" in said ? said : verdict(set, said);
  const isHeld = state === "trusted";
  return {
    directory,
    state,
    why,
    digest: set.digest,
    files: [...set.files, store.path],
    problems,
    holds: (folder) => isHeld && set.hasRoot(folder),
    bytesOf: (file) => set.bytesOf(file),
    objection: (named, cwd) => (isHeld ? set.objection(named, cwd) : undefined),
    stands: () => isStillSaid(directory, store),
  };
}

function verdict(set: TrustSet, said: Trusted): Verdict {
  // A folder whose content does not matter can still not be left.
  if ("dev" in said) return { state: "dev", why: "it is trusted whatever it holds" };
  const [problem] = set.problems;
  if (problem) return { state: "unfit", why: problem.message };
  if (said.digest === set.digest) return { state: "trusted", why: "it is as it was trusted" };
  const changed = changesText(differences(said.files, set.hashes));
  return { state: "changed", why: `it has changed since it was trusted: ${changed}` };
}

/** Whether anything is said of it still; of a store that cannot be used nobody knows better. */
function isStillSaid(directory: string, store: TrustStore): boolean {
  try {
    return store.get(directory) !== undefined;
  } catch {
    return true;
  }
}

/** A file that is not as it was trusted. */
export interface Difference {
  /** Path in the project. */
  readonly name: string;
  readonly is: "changed" | "new" | "gone";
}

/** The files that are not the same, by name. */
export function differences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Difference[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].sort().flatMap((name): Difference[] => {
    const was = Object.hasOwn(before, name) ? before[name] : undefined;
    const is = Object.hasOwn(after, name) ? after[name] : undefined;
    if (was === is) return [];
    if (was === undefined) return [{ name, is: "new" }];
    return [{ name, is: is === undefined ? "gone" : "changed" }];
  });
}

/** So many are named. */
const MOST_NAMED = 5;

function changesText(all: readonly Difference[]): string {
  const named = all.slice(0, MOST_NAMED).map(differenceText);
  const more = all.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** One of them, for people. */
export function differenceText({ name, is }: Difference): string {
  return is === "changed" ? shownPath(name) : `${shownPath(name)} is ${is}`;
}
