import { wordSet } from "../../core/index.ts";
/** Programs that read PowerShell or the language of cmd. */
export const WINDOWS_SHELLS = wordSet("powershell pwsh powershell_ise cmd");

/** Words of the language, behind which a command can begin. */
export const KEYWORDS = wordSet(`
  if elseif else while for foreach do until switch try catch finally return function filter param process begin end throw
  trap in
`);

/** Words that begin commands of PowerShell and cmd only, so that a line with one of them is read as theirs as well. */
const TELLING = wordSet(`
  ri gci gi gc iwr irm iex icm saps clc del erase rd cpi rni mi clhy gps spps try foreach param forfiles vssadmin wbadmin
  bcdedit diskpart cipher wmic wevtutil takeown taskkill schtasks certutil bitsadmin mshta regsvr32 rundll32 msiexec netsh
  fsutil
`);

/** Command and its aliases, from Get-Alias of PowerShell 7 and Windows PowerShell 5.1, and `help` of cmd. */
const ALIASES = `
get-childitem gci dir ls; get-content gc cat type; remove-item ri rm rmdir rd del erase; invoke-webrequest iwr curl wget
invoke-restmethod irm; invoke-expression iex; invoke-command icm; start-process saps start; clear-content clc
stop-process kill spps; move-item mi move mv; copy-item cpi copy cp; rename-item rni ren; new-item ni
set-location sl cd chdir; get-item gi; get-process gps ps; foreach-object % foreach; where-object ? where
select-object select; sort-object sort; set-alias sal; new-alias nal; write-output echo write; clear-host cls clear
clear-history clhy; tee-object tee; set-content sc; add-content ac; push-location pushd; pop-location popd
select-string sls; set-itemproperty sp; import-csv ipcsv; export-csv epcsv; format-hex fhx; mkdir md`;

/** Subcommands of the program `sc`, whose name is an alias as well. */
const OF_SC =
  /^(?:\\\\|\/\/|(?:query|queryex|start|stop|pause|continue|config|qc|delete|create|failure|description)$)/i;

export function isCmdlet(program: string): boolean {
  return /^[A-Za-z]+-[A-Za-z][A-Za-z\d]+$/.test(program);
}

/** At the end of the name of a program. */
export const WINDOWS_EXTENSION = /\.(?:exe|cmd|bat|com)$/i;

/** Names of commands, with the aliases that a line gives. */
export class CommandNames {
  readonly #aliases = new Map<string, string>();

  constructor() {
    for (const row of ALIASES.trim().split(/[;\n]/)) {
      const [name = "", ...aliases] = row.trim().split(" ");
      for (const alias of aliases) this.#aliases.set(alias, name);
    }
  }

  add(alias: string, name: string): void {
    this.#aliases.set(alias.toLowerCase(), name.toLowerCase());
  }

  /** The name of a program in lower case, without its folder and its extension; of an alias, that of its command. */
  of(word: string, next = ""): string {
    const name = word
      .slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1)
      .toLowerCase();
    if (WINDOWS_EXTENSION.test(name)) return name.slice(0, -4);
    if (name === "sc" && OF_SC.test(next)) return name;
    // An alias may stand for another one.
    const first = this.#aliases.get(name) ?? name;
    return this.#aliases.get(first) ?? first;
  }
}

/** Whether a command of a POSIX line is one that only PowerShell and cmd have. */
export function isTelling(program: string, argv: readonly string[]): boolean {
  const name = program.toLowerCase();
  if (!TELLING.has(name)) return false;
  // `iex` is the shell of Elixir as well: PowerShell's has no option but -Command.
  return name !== "iex" || !/^--?[^cC-]/.test(argv[1] ?? "");
}

/** Whether a command is one for services of Windows: other programs are called `net` and `sc`, too. */
export function isServiceCommand(name: string, argv: readonly string[]): boolean {
  const [, command = "", service] = argv;
  if (service === undefined) return false;
  const isNet = name === "net" && /^(?:stop|localgroup)$/i.test(command);
  return isNet || (name === "sc" && /^(?:stop|delete|config)$/i.test(command));
}

/** Whether a file is none. */
export function isDevice(text: string): boolean {
  return /^(?:\$null|(?:nul|con):?)$/i.test(text);
}

const FILE_SYSTEM = /^(?:microsoft\.powershell\.core\\)?filesystem::/i;

/**
 * A path as POSIX systems write it, absolute if it has a drive: `/C:/x`.
 * @returns undefined for a name in another store, such as the registry
 */
export function posixPath(text: string, home: string | undefined): string | undefined {
  if (isDevice(text)) return "/dev/null";
  const path = text.replace(FILE_SYSTEM, "").replaceAll("\\", "/");
  if (/^[A-Za-z]:/.test(path)) {
    const temporary = /^.:\/users\/[^/]+\/appdata\/local\/temp\/(.*)$/is.exec(path);
    return temporary ? `/tmp/${temporary[1]}` : `/${path}`;
  }
  if (/^\w[\w.]*:(?!\/\/)/.test(path)) return undefined;
  if (home !== undefined && /^~(?:\/|$)/.test(path)) return `${home}${path.slice(1)}`;
  return path;
}

/** A word of a program that is not one of PowerShell: its paths as POSIX systems write them. */
export function posixWord(text: string, home: string | undefined): string {
  return /[\s'"()$^+{}|]/.test(text) ? text : (posixPath(text, home) ?? text);
}

/** What is left to see of an unknown word: `$APPDATA/x`. */
export function unknownWord(text: string): string {
  const plain = text
    .replaceAll("\\", "/")
    .replaceAll(/\$\{?(?:env:)?([A-Za-z_]\w*)[\w.:]*\}?/gi, "$$$1")
    .replaceAll(/[^\w./$~-]/g, "");
  return /\$[A-Za-z_]/.test(plain) ? plain : "$unknown";
}
