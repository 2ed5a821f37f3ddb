import { isPlainObject, jsonOr, objectIn } from "../../core/index.ts";
import type { FileRun, Piece } from "./piece.ts";
import { isShell, shebang } from "./piece.ts";
import { newlines } from "./shell-text.ts";

/** The most scripts of a file that run others in turn. */
const MOST_SCRIPTS = 200;

/** The recipes of a justfile that are reached from some; the first one if none is named. */
export function justPieces(text: string, { goals }: FileRun): readonly Piece[] {
  const recipes = new Map<string, Recipe>();
  const values = new Map<string, string>();
  let current: Recipe | undefined;
  let first: string | undefined;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^[ \t]+\S/.test(line)) {
      const plain = line.trim().replace(/^[@-]+/, "");
      const last = current?.pieces.at(-1);
      // A line that goes on, and a recipe that is a script as a whole.
      if (last && (last.text?.endsWith("\\") || last.text?.startsWith("#!")))
        current?.pieces.splice(-1, 1, { ...last, text: `${last.text}\n${line}` });
      else if (!/^#(?!!)/.test(plain)) current?.pieces.push({ line: at + 1, text: plain });
      continue;
    }
    const set = /^(?:export\s+)?([\w-]+)\s*:=\s*(?:"([^"]*)"|'([^']*)')\s*$/.exec(line);
    if (set) values.set(set[1] ?? "", set[2] ?? set[3] ?? "");
    const head = /^@?([\w-]+)((?:\s[^:]*)?):(?!=)\s*(.*)$/.exec(line);
    if (!head || /^(?:set|alias|import|mod)\s/.test(line)) continue;
    current = { needs: (head[3] ?? "").match(/[\w-]+/g) ?? [], pieces: [] };
    recipes.set(head[1] ?? "", current);
    first ??= head[1];
  }
  const named = goals?.filter((goal) => recipes.has(goal)) ?? [];
  const queue = named.length > 0 ? named : first === undefined ? [] : [first];
  return reached(recipes, queue, (part) => asScript(filledJust(part, values)));
}

interface Recipe {
  readonly needs: string[];
  readonly pieces: Piece[];
}

/** The parts of recipes, and of those that they need. */
function reached(
  recipes: ReadonlyMap<string, Recipe>,
  queue: string[],
  filled: (text: string) => string,
): readonly Piece[] {
  const seen = new Set(queue);
  const found: Piece[] = [];
  for (let at = 0; at < queue.length && at < MOST_SCRIPTS; at++) {
    const recipe = recipes.get(queue[at] ?? "");
    if (!recipe) continue;
    for (const piece of recipe.pieces) found.push({ ...piece, text: filled(piece.text ?? "") });
    for (const need of recipe.needs) {
      if (seen.has(need)) continue;
      seen.add(need);
      queue.push(need);
    }
  }
  return found;
}

/** A script with a first line that names another interpreter than a shell, as its input. */
function asScript(text: string): string {
  const interpreter = shebang(text);
  return interpreter === undefined || isShell(interpreter)
    ? text
    : `${interpreter} - <<'JUST'\n${text.replaceAll(/^[ \t]{4}/gm, "")}\nJUST`;
}

function filledJust(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    if (name === "home_directory()") return "~";
    return values.get(name) ?? "${_unknown_}";
  });
}

/** A line of a Taskfile: `- key: value`, of which each part may be missing. */
const TASK_LINE = /^([ \t]*)(-[ \t]+)?(?:([\w.:*-]+|"[^"]*"|'[^']*'):(?=\s|$)[ \t]*)?(.*)$/;

/** The tasks of a Taskfile that are reached from some; `default` if none is named. */
export function taskPieces(text: string, { goals = [] }: FileRun): readonly Piece[] {
  const recipes = new Map<string, Recipe>();
  const values = new Map<string, string>();
  const lines = text.split(/\r?\n/);
  let section = "";
  let recipe: Recipe = { needs: [], pieces: [] };
  /** The field of the task that a line is in, and how far tasks and their fields are indented. */
  let field = "";
  let [depth, inner] = [0, 0];
  for (let at = 0; at < lines.length; at++) {
    const [, blanks = "", dash, key = "", rest = ""] = TASK_LINE.exec(lines[at] ?? "") ?? [];
    if ((key === "" && rest === "") || rest.startsWith("#")) continue;
    const isBlock = /^[|>][-+]?$/.test(rest);
    const value = isBlock ? blockAt(lines, at + 1, blanks.length) : unquoted(rest);
    const line = at + (isBlock ? 2 : 1);
    if (isBlock) at += newlines(value);
    if (blanks === "" && dash === undefined) {
      section = key;
      depth = 0;
    } else if (section === "vars") values.set(key, value);
    else if (section === "tasks") {
      depth ||= blanks.length;
      const isHead = blanks.length === depth && dash === undefined;
      if (isHead) {
        recipe = { needs: [], pieces: [] };
        recipes.set(unquoted(key), recipe);
        [field, inner] = ["cmds", 0];
      } else if (dash === undefined && (inner === 0 || blanks.length === inner)) {
        inner = blanks.length;
        field = key;
      }
      const isNamed = isHead || key === "" || /^(?:cmds?|defer)$/.test(key);
      if (key === "task") recipe.needs.push(value);
      else if (field === "deps") recipe.needs.push(...(value.match(/[\w.:-]+/g) ?? []));
      else if (value !== "" && isNamed && /^cmds?$/.test(field))
        recipe.pieces.push({ line, text: value });
    }
  }
  return reached(recipes, goals.length > 0 ? [...goals] : ["default"], (each) =>
    each.replaceAll(
      /\{\{\s*\.?(\w*)[^{}]*\}\}/g,
      (_, name: string) => values.get(name) ?? "${_unknown_}",
    ),
  );
}

/** The lines of a block scalar, which are indented further than its key. */
function blockAt(lines: readonly string[], begin: number, indent: number): string {
  const isIn = (line: string): boolean => line.trim() === "" || line.search(/\S/) > indent;
  let end = begin;
  while (end < lines.length && isIn(lines[end] ?? "")) end++;
  return lines.slice(begin, end).join("\n");
}

/** A plain or quoted scalar of YAML. */
function unquoted(text: string): string {
  const [, , inner] = /^(["'])(.*)\1$/s.exec(text) ?? [];
  return inner ?? text.replace(/\s+#.*$/, "");
}

/**
 * Scripts of a `package.json` by their names, with what runs before and behind them, and those that they run in turn.
 */
export function packagePieces(text: string, { goals = [] }: FileRun): readonly Piece[] {
  const scripts = scriptsOf(text);
  if (!scripts) return [];
  const from = Math.max(0, text.indexOf('"scripts"'));
  const seen = new Set<string>();
  const found: Piece[] = [];
  const add = (name: string): void => {
    const written = scripts[name];
    // Composer has lists of them, in which `@name` is another one.
    const all: unknown[] = Array.isArray(written) ? written : [written];
    const list = all.filter((each) => typeof each === "string");
    const script = list.filter((each) => !each.startsWith("@")).join("\n");
    if (list.length === 0 || seen.has(name) || seen.size >= MOST_SCRIPTS) return;
    seen.add(name);
    const at = text.indexOf(JSON.stringify(name), from);
    found.push({ line: newlines(text.slice(0, Math.max(at, 0))) + 1, text: script });
    for (const each of list) if (each.startsWith("@")) add(each.slice(1));
    for (const other of scriptsRunBy(script, Object.keys(scripts))) addWithHooks(other);
  };
  const addWithHooks = (name: string): void => {
    for (const one of [`pre${name}`, name, `post${name}`]) add(one);
  };
  goals.forEach(addWithHooks);
  return found;
}

function scriptsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const json = objectIn(text.replace(/^\uFEFF/, ""));
  const scripts = json?.["scripts"] ?? json?.["tasks"];
  return isPlainObject(scripts) ? scripts : undefined;
}

/** Names of scripts in what runs several: `run-s clean build:*`, `concurrently npm:*`. */
function scriptsRunBy(script: string, names: readonly string[]): readonly string[] {
  if (!/\b(?:run-[sp]|npm-run-all|npm-run-all2|concurrently)\b/.test(script)) return [];
  return (script.match(/[\w:@./*-]+/g) ?? []).slice(0, 40).flatMap((word) => {
    const name = word.replace(/^npm:/, "");
    if (!name.includes("*")) return names.includes(name) ? [name] : [];
    const begin = name.slice(0, name.indexOf("*"));
    return begin === "" ? [] : names.filter((one) => one.startsWith(begin));
  });
}

/** What a Dockerfile runs while the image is built. */
export function dockerPieces(text: string): readonly Piece[] {
  const lines = text.split(/\r?\n/);
  const found: Piece[] = [];
  for (let at = 0; at < lines.length; at++) {
    const run = /^\s*RUN\s+(.*)$/i.exec(lines[at] ?? "");
    if (!run) continue;
    const line = at + 1;
    const parts = [run[1] ?? ""];
    while ((parts.at(-1) ?? "").trimEnd().endsWith("\\") && at + 1 < lines.length) {
      parts.push(`${parts.pop()?.trimEnd().slice(0, -1)}`);
      // Comments between continued lines do not end them.
      while (/^\s*#/.test(lines[at + 1] ?? "")) at++;
      parts.push(lines[++at] ?? "");
    }
    let script = parts.join(" ").replace(/^(?:--\S+\s+)+/, "");
    const here = /^<<-?["']?(\w+)["']?\s*$/.exec(script);
    if (here) {
      const end = lines.findIndex((each, index) => index > at && each.trim() === here[1]);
      script = lines.slice(at + 1, end < 0 ? undefined : end).join("\n");
      found.push({ line: line + 1, text: script });
      if (end > 0) at = end;
    } else found.push(wordsOf(script, line) ?? { line, text: script });
  }
  return found;
}

/** `["rm", "-rf", "x"]` */
function wordsOf(script: string, line: number): Piece | undefined {
  const argv = script.startsWith("[") ? jsonOr(script) : undefined;
  const isCommand = Array.isArray(argv) && argv.every((word) => typeof word === "string");
  return isCommand ? { line, argv } : undefined;
}

/** The commands of environments in a tox.ini; all of them if none is named. */
export function toxPieces(text: string, { goals = [] }: FileRun): readonly Piece[] {
  const found: Piece[] = [];
  let [section, key] = ["", ""];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    section = /^\[(.*)\]/.exec(line)?.[1] ?? section;
    const [, name, own = ""] = /^(\w+)\s*=\s*(.*)$/.exec(line) ?? [];
    key = name ?? (/^\s/.test(line) ? key : "");
    const value = (name === undefined ? line : own).trim().replace(/^-\s+/, "");
    const isNamed = goals.length === 0 || goals.includes(section.slice("testenv:".length));
    if (value === "" || !key.startsWith("commands") || !section.startsWith("testenv")) continue;
    if (section === "testenv" || isNamed)
      found.push({ line: at + 1, text: value.replaceAll(/\{[^{}]*\}/g, "${_unknown_}") });
  }
  return found;
}

/** What the hooks of a `.pre-commit-config.yaml` run that are the project's own. */
export function hookPieces(text: string): readonly Piece[] {
  let line = 1;
  return text.split(/^(?=\s*- id:)/m).flatMap((hook) => {
    const from = line;
    line += newlines(hook);
    const entry = /^(\s*)entry:[ \t]*(.*)$/m.exec(hook);
    if (!entry || /language:\s*(?:pygrep|fail)/.test(hook)) return [];
    const [, , value = ""] = entry;
    const lines = hook.split("\n");
    const at = newlines(hook.slice(0, entry.index + (entry[1] ?? "").length));
    const isBlock = /^[|>][-+]?$/.test(value);
    const script = isBlock ? blockAt(lines, at + 1, (entry[1] ?? "").length) : unquoted(value);
    return [{ line: from + at, text: script }];
  });
}

/** The commands of a crontab. */
export function cronPieces(text: string): readonly Piece[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    const found = /^\s*(?:@\w+|[^\s#=]+(?:\s+[^\s=]+){4})\s+(.+)$/.exec(line);
    // `%` ends the command.
    return found?.[1] === undefined
      ? []
      : [{ line: at + 1, text: found[1].replaceAll("\\%", "%") }];
  });
}
