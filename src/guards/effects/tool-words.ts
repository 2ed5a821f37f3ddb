/**
 * What the names of a tool and of its arguments say about a call. Coding agents and MCP servers name their tools as
 * they like, so no tool is known by its full name.
 */

/** What words in a tool's name mean, and those in arguments such as `action` that say what a tool does. */
const TOOL_WORDS = {
  writes: `write edit create delete remove move rename mkdir replace insert append save update put touch patch mv rm rmdir
    unlink symlink link chmod chown truncate overwrite download export upsert modify apply copy cp extract unzip undo init
    clone notebookedit multiedit strreplace`,
  /** It may mean that files change: often it does not. */
  mayWrite: `purge erase destroy trash clear format set upload wipe reset sync checkout restore stash commit pull merge
    rebase`,
  removes: "delete remove rm rmdir unlink move mv rename purge erase destroy trash clear wipe",
  moves: "move mv rename",
  copies: "copy cp symlink link extract unzip upload",
  unpacks: "extract unzip clone",
  attributes: "chmod chown",
  comments: "comment review",
  /** In such a tool, an argument such as `text` is not the content of a file. */
  speaks:
    "read grep search list view get send message post email fetch upload notify ask query find",
  lists:
    "glob globs ls list listdir stat exists tree dir directory directories mkdir info metadata",
  shows: `read cat content contents open view download upload send copy cp grep search exec run fetch load show print get
    dump head tail move mv rename share attach import parse`,
  looksUp: "info metadata stat exists",
  gets: "get",
  overwrites: "write create save put delete remove unlink rm rmdir mkdir touch chmod overwrite",
  takesAway: "delete remove unlink rm rmdir mkdir touch chmod",
  edits:
    "edit replace patch update insert str multi apply read copy move rename upload send share attach get",
  changes: "edit replace patch update insert str multi apply",
  searches: "grep search rg ripgrep ag find text",
  runs: `shell bash sh zsh terminal console exec execute run eval evaluate python node javascript repl interpreter process
    stdin pty tmux ssh powershell jupyter`,
  code: "python node javascript js typescript ts ruby perl php lua jupyter notebook cell repl sql julia r",
  /** It takes a task in words. */
  delegates: "agent subagent task prompt workflow",
  connects:
    "fetch http https web url browse browser navigate request download crawl scrape curl wget websearch webfetch",
  sends: "upload send share attach post publish",
  windows: "powershell pwsh cmd",
} as const;

export type ToolWord = keyof typeof TOOL_WORDS;

/** What names of arguments mean: in lower case and without `_` and `-`. */
const ARGUMENT_NAMES = {
  command:
    "command cmd commands commandline commandstring shellcommand shellcmd shellscript scriptcontent bash argv",
  /** A command only next to a list of words. */
  executable: "program executable binary exe bin file app",
  folder:
    "cwd workdir workingdirectory workingdir dirpath directory dir currentdirectory startdirectory",
  /** In a tool that runs something: code, or the input of a running program. */
  script: `script code input chars text sourcecode snippet javascript python function expression line lines keys
    scriptcontent source`,
  /** A text to write, to search for or to show. It may mention a file and does not open it. */
  text: `content contents text filetext newstring oldstring newstr oldstr newtext oldtext newsource insertline inserttext
    body message prompt description query explanation instruction instructions summary reason thought thinking comment
    title subject question questions header label options todos plan answer answers expression replacement search regex
    code sourcecode codeedit systemprompt q filter key keys step element selector locator sql statement chars stdin labels
    topic exclude excludes excludepattern excludepatterns excludeglob ignore ignored ignorepatterns`,
  pattern: "pattern regex regexp query search searchterm expression",
  patch: "patch diff input patchtext unifieddiff changes command text",
  path: `path paths filepath filepaths filename filenames file files targetfile target targets destination dest dst to from
    source src oldpath newpath uri url directory dir folder relativepath absolutepath output out outfile outputfile
    notebookpath targetnotebook attachment attachments include includes glob globpattern image images`,
  /** Its value has to be a text or a list. */
  strict: "command cmd path filepath notebookpath",
  /** A tool that has one of these writes. */
  content: `content contents filetext newstring newstr newtext newsource inserttext insertline edits codeedit`,
  perhapsContent: "text body data replacement base64",
  anyContent: "content contents filetext text data body",
  source: `from source src sourcepath oldpath include includes glob globpattern image images attachment attachments template
    templatepath`,
  destination:
    "to destination destinationpath dest destpath dst target targetpath newpath newname output out outfile outputfile",
  onlyRead: "include includes glob globpattern image images attachment attachments",
  glob: "glob globpattern include includes",
  /** Files that a writing tool includes in what it writes. */
  taken:
    "files file attachments attachment sources source inputs input from media images image documents",
  action: "action operation op method verb mode type",
  address: "url urls uri uris href endpoint link links website site webpage",
  host: "host hostname domain server",
} as const;

export type ArgumentName = keyof typeof ARGUMENT_NAMES;

/** Values of `command` that are not command lines, and what they mean as words of a tool's name. */
const COMMAND_VALUES: Readonly<Record<string, string>> = {
  create: "create",
  view: "read",
  insert: "insert",
  delete: "delete",
};
/** Values of `command` and of arguments such as `action` with which nothing is written. */
const VIEWS = "view read list open show cat";

/** An argument's name with what it means. */
export interface NamedArgument {
  /** As written. */
  readonly name: string;
  /** In lower case and without `_` and `-`. */
  readonly key: string;
  readonly isPath: boolean;
}

/** Names that are kept with what they mean, and their length: an agent has few tools, and may still make up names. */
const MOST_NAMES = 500;
const LONGEST_NAME = 100;

/** The tables above, split when the first call is read. */
export class ToolWords {
  readonly #known = new Map<string, ReadonlySet<ToolWord>>();
  readonly #named = new Map<string, NamedArgument>();
  readonly #tool = new Map<string, ToolWord[]>();
  readonly #arguments = new Map<string, Set<ArgumentName>>();
  readonly #views = new Set(VIEWS.split(" "));

  constructor() {
    for (const [meaning, words] of Object.entries(TOOL_WORDS))
      for (const word of words.split(/\s+/))
        this.#tool.set(word, [...(this.#tool.get(word) ?? []), meaning as ToolWord]);
    for (const [meaning, names] of Object.entries(ARGUMENT_NAMES))
      for (const name of names.split(/\s+/))
        this.#arguments.set(
          name,
          (this.#arguments.get(name) ?? new Set()).add(meaning as ArgumentName),
        );
  }

  /** What the words of a name mean: `mcp__fs__readFile` has mcp, fs, read and file. */
  ofName(name: string): ReadonlySet<ToolWord> {
    return kept(this.#known, name, () => {
      const words = name
        .replace(/([a-z])([A-Z])/g, "$1_$2")
        .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
        .toLowerCase()
        .match(/[a-z]+/g);
      return new Set((words ?? []).flatMap((word) => this.#tool.get(word) ?? []));
    });
  }

  /** Whether a value of `command` or `action` says that nothing is written. */
  views(word: string): boolean {
    return this.#views.has(word);
  }

  /** The word that a value of `command` stands for, if it is no command line. */
  commandValue(text: string): string | undefined {
    return Object.hasOwn(COMMAND_VALUES, text) ? COMMAND_VALUES[text] : undefined;
  }

  is(key: string, meaning: ArgumentName): boolean {
    return this.#arguments.get(key)?.has(meaning) ?? false;
  }

  argument(name: string): NamedArgument {
    return kept(this.#named, name, () => {
      const key = name.toLowerCase().replace(/[_-]/g, "");
      const isPath =
        this.is(key, "path") ||
        /^path|(?:uris?|paths?|files?|folder|director[yi]e?s?|filename)$/.test(key);
      return { name, key, isPath };
    });
  }
}

/** What is known of a name, made when it is asked for first. */
function kept<T>(known: Map<string, T>, name: string, make: () => T): T {
  let value = known.get(name);
  if (value === undefined) {
    value = make();
    if (known.size >= MOST_NAMES) known.clear();
    if (name.length <= LONGEST_NAME) known.set(name, value);
  }
  return value;
}
