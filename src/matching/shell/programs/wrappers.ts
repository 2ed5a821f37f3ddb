import type { Wrapper } from "./options.ts";
import { WRAPPER_ROWS } from "./wrapper-rows.ts";

/** A wrapper while it is read. */
type Draft = { -readonly [K in keyof Wrapper]: Wrapper[K] };

/** Wrappers by name: a row is read when its program is first met. */
export class Wrappers {
  #rows: Map<string, string> | undefined;
  readonly #read = new Map<string, Wrapper>();

  /** What a program does with its words; undefined of one that runs no command. */
  get(program: string): Wrapper | undefined {
    this.#rows ??= rowsByName();
    const row = this.#rows.get(program);
    if (row === undefined || program.includes("/")) return undefined;
    return this.#wrapper(row, this.#rows);
  }

  #wrapper(row: string, rows: ReadonlyMap<string, string>): Wrapper {
    const known = this.#read.get(row);
    if (known) return known;
    const [names = "", options = "", operands = ""] = row.split("|").map((part) => part.trim());
    const draft: Draft = {};
    this.#read.set(row, draft);
    for (const word of options.split(/\s+/).filter(Boolean)) {
      if (word.startsWith("%also=")) draft.also = this.#named(word.slice("%also=".length), rows);
      else if (word.startsWith("%")) addMark(draft, word);
      else addOption(draft, word);
    }
    if (operands === "text program...") draft.operands = 1;
    else if (operands === "") draft.operands = Infinity;
    else if (operands === "subcommand") {
      const lead = `${names.split(" ", 1)[0] ?? ""}/`;
      const below = [...rows].filter(
        ([name]) => name.startsWith(lead) && !name.includes("/", lead.length),
      );
      draft.next = Object.fromEntries(
        below.map(([name, inner]) => [name.slice(lead.length), this.#wrapper(inner, rows)]),
      );
    }
    return draft;
  }

  #named(name: string, rows: ReadonlyMap<string, string>): Wrapper {
    return this.#wrapper(rows.get(name) ?? "", rows);
  }
}

function rowsByName(): Map<string, string> {
  const rows = WRAPPER_ROWS.trim().replaceAll(/\n\s+/g, " ").split("\n");
  return new Map(
    rows.flatMap((row) => {
      const names = row.slice(0, row.indexOf("|")).trim().split(" ");
      return names.map((name): [string, string] => [name, row]);
    }),
  );
}

/** Fields that a mark turns on. */
const MARKS: Readonly<Record<string, Draft>> = {
  "%in-place": { inPlace: true },
  "%functions": { functions: true },
  "%elsewhere": { elsewhere: true },
  "%fresh": { fresh: true },
  "%each": { each: true },
  "%joined": { joined: true },
  "%shell": { shell: true },
  "%assignments": { assignments: true },
  "%mixed": { assignments: "mixed" },
};

function addMark(draft: Draft, mark: string): void {
  const [name = "", value = ""] = mark.split("=", 2);
  if (name === "%after") draft.after = value.split(",");
  else if (name === "%except") draft.except = value.split(",");
  else if (name === "%as") draft.as = value;
  else Object.assign(draft, MARKS[name]);
}

/** Where the name of an option with a role goes, and with a meaning. */
const ROLES = {
  script: "scripts",
  cd: "directory",
  program: "entry",
  split: "split",
  unset: "unset",
} as const;
const MEANINGS = { idle: "idle", shell: "shell", joined: "joined" } as const;

function addOption(draft: Draft, word: string): void {
  const [, dashes, name = "", value, meanings = ""] =
    /^(--?)([^=:]+)(==?\w*)?(.*)$/.exec(word) ?? [];
  const isLong = dashes === "--";
  if (value?.startsWith("==")) draft.pairs = [...(draft.pairs ?? []), name];
  else if (isLong && value === undefined) draft.flags = [...(draft.flags ?? []), name];
  else if (isLong) draft.long = [...(draft.long ?? []), name];
  else if (value !== undefined) draft.short = (draft.short ?? "") + name;
  const role = value?.replace(/^==?/, "") as keyof typeof ROLES | "" | undefined;
  if (role) draft[ROLES[role]] = [...(draft[ROLES[role]] ?? []), name];
  if (role === "split") draft.last = [...(draft.last ?? []), name];
  for (const meaning of meanings.split(":").filter(Boolean) as (keyof typeof MEANINGS)[]) {
    const before = draft[meaning];
    draft[meaning] = [...(Array.isArray(before) ? (before as string[]) : []), name];
  }
}
