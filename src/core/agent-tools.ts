import { words, wordSet } from "./text.ts";

/** A tool of an agent: our tool, and the agent's spellings of our argument keys, the usual one first. */
export interface AgentTool {
  readonly tool: string;
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

/**
 * An agent's names of tools. Several may correspond to the same tool of ours: the first is used for a call of ours.
 * Other tools and keys have the same name in both.
 */
export type AgentTools = Readonly<Record<string, AgentTool>>;

type ToolRow = readonly [
  tool: string,
  names: string,
  keys?: Readonly<Record<string, string | readonly string[]>>,
];

/** A table of tools: ours, the names in the agent, and its spellings of our keys. */
function toolTable(...rows: readonly ToolRow[]): AgentTools {
  const entries = rows.flatMap(([tool, names, spellings = {}]) => {
    const keys = Object.fromEntries(
      Object.entries(spellings).map(([ours, known]) => [ours, [known].flat()]),
    );
    return names.split(" ").map((name) => [name, { tool, keys }] as const);
  });
  return Object.fromEntries(entries);
}

const FILE = { path: "file_path" } as const;
const NOTEBOOK = { path: "notebook_path" } as const;
const FOLDER = { path: "dir_path" } as const;
const CURSOR_FILE = ["file_path", "path", "target_file"] as const;
const CURSOR_FOLDER = { path: ["target_directory", "path"] } as const;
/** A request for a permission has the path of a file under another key than the call. */
const COPILOT_FILE = ["path", "file_path"] as const;

/** PowerShell and Monitor run commands as well: a guard must see them. */
const CLAUDE_CODE = toolTable(
  ["exec", "Bash PowerShell", { timeout_ms: "timeout" }],
  ["exec", "Monitor"],
  ["read", "Read", FILE],
  ["read", "NotebookRead", NOTEBOOK],
  ["write", "Write", FILE],
  ["edit", "Edit MultiEdit", FILE],
  ["edit", "NotebookEdit", NOTEBOOK],
  ["glob", "Glob"],
  ["grep", "Grep"],
  ["scan_dir", "LS"],
  ["http", "WebFetch"],
);

/** The tools of each agent that correspond to ours. */
export const AGENT_TOOLS = {
  "claude-code": CLAUDE_CODE,
  codex: toolTable(["exec", "Bash"], ["edit", "apply_patch"]),
  /**
   * The current name first, in the versions with hooks (0.26 to 0.61). The `prompt` of `web_fetch` has what to fetch.
   */
  gemini: toolTable(
    ["exec", "run_shell_command", { cwd: "dir_path" }],
    ["read", "read_file", FILE],
    ["write", "write_file", FILE],
    ["edit", "replace", FILE],
    ["scan_dir", "list_directory", FOLDER],
    ["glob", "glob", FOLDER],
    ["grep", "grep_search search_file_content", FOLDER],
    ["http", "web_fetch"],
  ),
  cursor: toolTable(
    ["exec", "Shell", { cwd: ["cwd", "working_directory", "workingDirectory"] }],
    ["read", "Read", { path: CURSOR_FILE }],
    ["write", "Write", { path: CURSOR_FILE, content: ["content", "contents"] }],
    [
      "edit",
      "Edit StrReplace MultiEdit ApplyPatch EditNotebook",
      { path: [...CURSOR_FILE, "target_notebook", "notebook_path"] },
    ],
    ["remove", "Delete", { path: CURSOR_FILE }],
    ["grep", "Grep", { pattern: ["pattern", "query", "regex"] }],
    ["glob", "Glob", { pattern: ["glob_pattern", "pattern"], ...CURSOR_FOLDER }],
    ["scan_dir", "LS", CURSOR_FOLDER],
    ["http", "WebFetch"],
  ),
  /** Its own name first, then that of the format that it shares with VS Code, then further tools that do the same. */
  copilot: toolTable(
    ["exec", "bash Bash powershell"],
    ["read", "view Read", { path: COPILOT_FILE }],
    ["write", "create Write", { path: COPILOT_FILE, content: "file_text" }],
    [
      "edit",
      "edit Edit str_replace_editor apply_patch",
      { path: COPILOT_FILE, old_string: "old_str", new_string: "new_str" },
    ],
    ["grep", "grep Grep rg", { path: "paths" }],
    ["glob", "glob Glob", { path: "paths" }],
    ["http", "web_fetch WebFetch"],
  ),
  /** 0.24.4. `monitor` runs a command as well: a guard of exec must see it. */
  qwen: toolTable(
    ["exec", "run_shell_command", { cwd: "directory", timeout_ms: "timeout" }],
    ["exec", "monitor", { cwd: "directory" }],
    ["read", "read_file", FILE],
    ["write", "write_file", FILE],
    ["edit", "edit", FILE],
    ["edit", "notebook_edit", NOTEBOOK],
    ["scan_dir", "list_directory"],
    ["glob", "glob"],
    ["grep", "grep_search"],
    ["http", "web_fetch"],
  ),
  /** 1.18. A patch is a tool of its own, whose text names the files. */
  opencode: toolTable(
    ["exec", "bash", { timeout_ms: "timeout", cwd: "workdir" }],
    ["read", "read", { path: "filePath" }],
    ["write", "write", { path: "filePath" }],
    ["edit", "edit", { path: "filePath" }],
    ["scan_dir", "list"],
    ["http", "webfetch"],
    ["edit", "apply_patch"],
  ),
  /** Those of A3S Code (its built-in tools), and of agents of AHP that name theirs as Claude Code does. */
  ahp: {
    ...toolTable(
      ["exec", "bash", { timeout_ms: "timeout" }],
      ["read", "read", FILE],
      ["write", "write", FILE],
      ["edit", "edit patch", FILE],
      ["scan_dir", "ls"],
      ["http", "web_fetch"],
    ),
    ...CLAUDE_CODE,
  },
} as const satisfies Readonly<Record<string, AgentTools>>;

const TABLES: readonly AgentTools[] = Object.values(AGENT_TOOLS);
const OURS: ReadonlyMap<string, string> = new Map(
  TABLES.flatMap((table) => Object.entries(table).map(([name, { tool }]) => [name, tool] as const)),
);

/** Tools of agents to which none of ours corresponds. */
const OTHERS =
  words(`Agent AskQuestion AskUserQuestion BashOutput Config CreatePlan CronCreate CronDelete CronList EnterPlanMode
  EnterWorktree ExitPlanMode ExitWorktree KillBash KillShell LSP ListMcpResourcesTool ReadLints ReadMcpResourceTool
  SemanticSearch SendMessage Skill SlashCommand StructuredOutput SwitchMode Task TaskCreate TaskGet TaskList TaskOutput
  TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WebSearch activate_skill agent ask_user
  ask_user_question batch cli_help close_agent codebase_investigator codesearch enter_plan_mode exec_command
  exit_plan_mode google_web_search list_agents list_bash local_shell lsp question read_agent read_bash read_many_files
  report_intent save_memory shell skill spawn_agent sql stop_bash store_memory task todo_write todoread todowrite
  update_plan view_image wait web_search websearch write_bash write_stdin write_todos`);

/** The names of tools that agents have. */
export const AGENT_TOOL_NAMES: readonly string[] = [...OURS.keys(), ...OTHERS];

function spellings(key: string): readonly string[] {
  return TABLES.flatMap((table) => Object.values(table).flatMap(({ keys }) => keys[key] ?? []));
}

/** Tool arguments that are paths, in every spelling, for matching and normalising. */
export const PATH_ARGS: readonly string[] = [
  ...new Set(["path", "file_path", "from", "to", "cwd", ...spellings("path"), ...spellings("cwd")]),
];

/** Names that other programs may give to any tool: they count together with an argument of the agent's tool. */
const COMMON_WORDS: ReadonlySet<string> = wordSet(
  "Monitor create list ls monitor patch replace view",
);
const ARGUMENTS: readonly string[] = ["command", ...PATH_ARGS];

/** Our name for an agent's tool, if it has another one there. */
export function agentToolName(name: unknown): string | undefined {
  const ours = typeof name === "string" ? OURS.get(name) : undefined;
  return ours === name ? undefined : ours;
}

/**
 * Our name for an agent's tool in a call that no agent's protocol has read: of a program, a server or a library. Names
 * that are ours already have none.
 */
export function ourToolName(name: unknown, args: unknown): string | undefined {
  const ours = agentToolName(name);
  if (ours === undefined || !COMMON_WORDS.has(name as string)) return ours;
  const isCall = typeof args === "object" && args !== null;
  return isCall && ARGUMENTS.some((key) => Object.hasOwn(args, key)) ? ours : undefined;
}
