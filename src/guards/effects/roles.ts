import type { EffectKind } from "../../core/index.ts";
import { byName } from "../../matching/index.ts";
import type { DescribedCommand, Part, Role } from "../../matching/index.ts";
import { base } from "./copies.ts";
import type { EffectDetails, EffectList } from "./effect-list.ts";
import { pathOfUrl } from "./effect-list.ts";
import { guess } from "./guesses.ts";

type AddEffects = (part: Part, found: EffectList, details: EffectDetails) => void;

/** Roles of files: what is done to them, with details that others come before. */
const FILES = byName<readonly [kinds: readonly EffectKind[], details?: EffectDetails]>({
  "reads list": [["read"]],
  scans: [["read"], { shows: "part" }],
  packs: [["read"], { shows: "archive", recursive: true }],
  uses: [["read"], { shows: "nothing" }],
  "writes makes into": [["write"]],
  below: [["write"], { recursive: true }],
  edits: [["read", "write"]],
  removes: [["remove"], { unfollowed: true }],
  moves: [["remove"], { recursive: true, unfollowed: true }],
  attributes: [["attributes"]],
});

/** What a part does otherwise, by its role. Roles that are not here have no effect of their own. */
const EFFECTS: Partial<Record<Role, AddEffects>> = {
  mounts: mount,
  guess: (part, found) => guess(part, found),
  data: (part, found, details) => {
    const name = /(?:^|=)[@<]([^;]+)/.exec(part.text)?.[1];
    if (name !== undefined) return sends({ ...part, text: name }, found, details);
    // `--data-urlencode name@file`, or a text with an `@`.
    const other = /^[^=@]*@([^;]+)/.exec(part.text)?.[1];
    if (other !== undefined) found.file("read", { ...part, text: other }, { sure: false });
  },
  exports: (part, found) => {
    const text =
      /(?:^|,)dest=([^,]+)/.exec(part.text)?.[1] ?? (part.text.includes("=") ? "" : part.text);
    found.file("write", { ...part, text }, { recursive: true });
  },
  script: (part, found) => {
    found.file("read", part);
    found.file("run", part);
  },
  program: (part, found) => {
    found.add("run", part);
    if (part.option !== undefined) found.mayRun(part.text);
  },
  host: (part, found) => {
    found.sendsInput = true;
    found.connect(part);
  },
  url: (part, found, details) => {
    const path = pathOfUrl(part.text);
    if (path !== undefined) found.file("read", { ...part, text: path }, details);
    else if (/^[./~]/.test(part.text)) found.file("read", part, { shows: "nothing", ...details });
    else found.connect(part);
  },
  // What a configured name leads to, only git knows.
  remote: (part, found) =>
    /^[./~]/.test(part.text) && part.text !== "."
      ? found.file("read", part, { shows: "nothing", recursive: true })
      : found.connect({
          ...part,
          text: part.text === "." ? "" : part.text,
          known: part.known && part.text.includes(":"),
        }),
  sends,
  signal: (part, found) => found.add("signal", part),
  package: (part, found) => found.add("install", part),
  system: (part, found) => found.add("system", part),
};

function sends(part: Part, found: EffectList, details: EffectDetails): void {
  found.file("read", part, details);
  found.send(part);
}

/** `SOURCE:TARGET`, `type=bind,source=SOURCE,…`. What is in the container may do anything with it. */
function mount(part: Part, found: EffectList): void {
  const folder =
    /(?:^|,)(?:source|src)=([^,]+)/.exec(part.text)?.[1] ?? /^([./~][^:]*):/.exec(part.text)?.[1];
  if (folder === undefined) return;
  for (const kind of ["read", "write"] as const)
    found.file(kind, { ...part, text: folder }, { recursive: true, sure: false });
}

/** Roles whose effects reach what is below them if the command is recursive. */
const MAY_RECUR: ReadonlySet<Role> = new Set(["reads", "scans", "removes", "attributes", "edits"]);

/** What parts of a command say about the files of the others. */
interface Selection {
  readonly isRecursive: boolean;
  readonly except: readonly string[];
  readonly only: readonly Part[];
}

export function selectionOf({ args: { meanings, parts } }: DescribedCommand): Selection {
  return {
    isRecursive: meanings.has("recursive"),
    except: parts.flatMap(({ role, text }) => (role === "omits" ? [text] : [])),
    only: parts.filter(({ role }) => role === "only"),
  };
}

/** List what a part of a command does. */
export function addByRole(
  part: Part,
  { isRecursive, except, only }: Selection,
  found: EffectList,
  details: EffectDetails = {},
): void {
  const recurs = MAY_RECUR.has(part.role) && isRecursive;
  if (part.role === "packs" && only.length > 0) {
    for (const { text } of only)
      found.file("read", { ...part, text: `${part.text}/**/${base(text)}` }, { shows: "archive" });
    return;
  }
  const all: EffectDetails = {
    ...(recurs && { recursive: true }),
    ...(except.length > 0 && { except }),
    ...details,
  };
  const [kinds = [], own] = FILES.get(part.role) ?? [];
  for (const kind of kinds) found.file(kind, part, own ? { ...own, ...all } : all);
  EFFECTS[part.role]?.(part, found, all);
}
