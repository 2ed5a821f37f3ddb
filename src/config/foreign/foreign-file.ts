import { PROTOCOL_NAMES } from "../../core/index.ts";
import { asCocode, isCocodeFile } from "./cocode-file.ts";
import type { ConfigError, KeyPath } from "../config-error.ts";
import { fromMassgen, isMassgenFile } from "./massgen-file.ts";
import { writtenHooks } from "../schema.ts";
import { isTable, type Table, valueOf } from "../table.ts";

/** A configuration in the form of orcs, which another hook system may have had. */
export interface ForeignTree {
  readonly tree: unknown;
  /** Errors and warnings, with paths in `tree`. */
  readonly mistakes: readonly ConfigError[];
  /** The path in the file of a path in `tree`; undefined when they are the same. */
  readonly written: ((path: KeyPath) => KeyPath) | undefined;
}

/** A configuration as it is. */
export function asWritten(tree: unknown): ForeignTree {
  return { tree, mistakes: [], written: undefined };
}

/**
 * Convert what a file of another system says differently. A file says whose it is with `protocol = "…"` at its top; a
 * file of cocode or MassGen is also recognized by its form. This only concerns the hooks of the file itself, so a
 * project gains nothing by it that it could not write in each of its hooks.
 */
export function foreignTree(given: unknown): ForeignTree {
  const moved = isMassgenFile(given) ? fromMassgen(given) : asWritten(given);
  const { tree } = moved;
  const stated = valueOf(tree, "protocol");
  const isRecognized = stated === undefined && isCocodeFile(tree);
  const protocol = isRecognized ? "cocode" : stated;
  if (!isTable(tree) || !PROTOCOL_NAMES.some((name) => name === protocol)) return moved;
  const mistakes: ConfigError[] = [...moved.mistakes, ...(isRecognized ? [READ_AS_COCODE] : [])];
  const converted = withHooks(tree, (hook, path) => {
    const spoken = withProtocol(hook, protocol);
    return protocol === "cocode" ? asCocode(spoken, path, !isRecognized, mistakes) : spoken;
  });
  return { ...moved, tree: converted, mistakes };
}

/** cocode's failure mode and time limit need a statement: a file of orcs must not get them by accident. */
const READ_AS_COCODE: ConfigError = {
  code: "ORCS1022",
  severity: "warning",
  path: ["hooks", 0],
  at: "key",
  message:
    "the file is read as a hooks file of cocode, because of its form; a timeout still denies, and the time limit is that of orcs",
  hint: 'write protocol = "cocode" at its top for the failure mode and the 10 minutes of cocode, or protocol = "orcs" if it is not one',
};

/** Handlers whose input and output have a protocol. */
const SPEAKING = ["shell", "webhook"] as const;

/** The hook with the protocol of its file where its handler names none. */
function withProtocol(hook: Table, protocol: unknown): Table {
  const handlers = SPEAKING.flatMap((key) => {
    const value = hook[key];
    if (key === "shell" && typeof value === "string") return [[key, { command: value, protocol }]];
    return isTable(value) && value["protocol"] === undefined ? [[key, { ...value, protocol }]] : [];
  });
  return { ...hook, ...(Object.fromEntries(handlers) as Table) };
}

/** The same configuration with other hooks. */
function withHooks(tree: Table, change: (hook: Table, path: KeyPath) => Table): unknown {
  return writtenHooks(tree).reduce<unknown>((made, { path, hooks }) => {
    if (hooks.length === 0) return made;
    const changed = hooks.map((hook, i) => (isTable(hook) ? change(hook, [...path, i]) : hook));
    return withValue(made, path, changed);
  }, tree);
}

function withValue(tree: unknown, [key = "", ...rest]: readonly string[], value: unknown): unknown {
  const inner = rest.length === 0 ? value : withValue(valueOf(tree, key), rest, value);
  return { ...(isTable(tree) ? tree : {}), [key]: inner };
}
