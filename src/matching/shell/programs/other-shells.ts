import { wordSet } from "../../../core/index.ts";
/** Verbs of PowerShell commands. */
const VERBS =
  "Add|Clear|Close|Compare|Complete|Confirm|Connect|Convert|ConvertFrom|ConvertTo|Copy|Disable|Disconnect|Enable|Enter|Exit|Export|Find|ForEach|Format|Get|Import|Install|Invoke|Join|Measure|Merge|Mount|Move|New|Open|Out|Pop|Push|Read|Receive|Register|Remove|Rename|Reset|Resolve|Restart|Restore|Resume|Save|Search|Select|Send|Set|Show|Sort|Split|Start|Stop|Suspend|Tee|Test|Trace|Uninstall|Unregister|Update|Use|Wait|Where|Write";

/** Nouns that also occur in lower case, and are not names of programs. */
const NOUNS =
  "acl|alias|childitem|clipboard|command|content|disk|event|eventlog|expression|host|item|itemproperty|job|localuser|location|module|object|output|partition|process|psdrive|pssession|restmethod|service|variable|volume|webrequest|wmiobject";

const CMDLET = new RegExp(`^(?:${VERBS})-[A-Z][A-Za-z\\d]+$`);
const SMALL_CMDLET = new RegExp(`^(?:${VERBS})-(?:${NOUNS})$`, "i");

/** Why a line is not read that is written for another shell. */
export const OTHER_SYNTAX = "it is not in POSIX shell syntax";

/** Shells of another language than that of POSIX shells. */
export const OTHER_SHELLS = wordSet(
  "cmd csh elvish fish nu powershell powershell_ise pwsh tcsh xonsh",
);

/** Commands of `cmd` that POSIX systems do not have, or with another meaning, with a flag in the notation of `cmd`. */
const CMD_BUILTINS = wordSet(
  "del erase rd rmdir copy xcopy robocopy move format attrib icacls takeown reg",
);
/** One flag, or several without spaces: `/s/q`. */
const CMD_FLAG = /^(?:\/[A-Za-z?])+(?::\S*)?$/;

/** A quick check of the first two words, which is nearly always false. */
export function mayBeOtherShell(program: string, second: string | undefined): boolean {
  return second === "=" || program.includes("-") || CMD_BUILTINS.has(program.toLowerCase());
}

/** Whether the words of a command are those of PowerShell or `cmd`. */
export function isOtherShell(words: readonly string[]): boolean {
  const [program = "", second] = words;
  if (program.includes("-") && (CMDLET.test(program) || SMALL_CMDLET.test(program))) return true;
  if (second === "=" && /^\$(?:env:)?\w+$/i.test(program)) return true;
  // POSIX has `rmdir` as well, and `/s` can be a folder.
  if (/^rmdir$/i.test(program))
    return /^(?:\/[sq])+$/i.test(second ?? "") && !/^\/./.test(words.at(-1) ?? "");
  return CMD_BUILTINS.has(program.toLowerCase()) && words.some((word) => CMD_FLAG.test(word));
}
