/** Verbs with which the commands of PowerShell begin. */
const VERBS =
  "Add|Clear|Close|Compare|Complete|Confirm|Connect|Convert|ConvertFrom|ConvertTo|Copy|Disable|Disconnect|Enable|Enter|Exit|Export|Find|ForEach|Format|Get|Import|Install|Invoke|Join|Measure|Merge|Mount|Move|New|Open|Out|Pop|Push|Read|Receive|Register|Remove|Rename|Reset|Resolve|Restart|Restore|Resume|Save|Search|Select|Send|Set|Show|Sort|Split|Start|Stop|Suspend|Tee|Test|Trace|Uninstall|Unregister|Update|Use|Wait|Where|Write";

const CMDLET = new RegExp(`^(?:${VERBS})-[A-Z][A-Za-z]+$`, "i");

/** Programs that read another language than that of POSIX shells. */
export const OTHER_SHELLS: ReadonlySet<string> = new Set([
  "cmd",
  "powershell",
  "powershell_ise",
  "pwsh",
]);

/** Commands of `cmd` that POSIX systems do not have, with a flag as only `cmd` writes it. */
const CMD_BUILTINS =
  /^(?:del|erase|rd|rmdir|copy|xcopy|robocopy|move|format|dir|type|attrib|icacls|takeown|reg)$/i;
const CMD_FLAG = /^\/[A-Za-z?](?::\S*)?$/;

/** Whether the words of a command are those of PowerShell or `cmd`. */
export function isOtherShell(words: readonly string[]): boolean {
  const [program = "", second] = words;
  if (program.includes("-") && CMDLET.test(program)) return true;
  if (second === "=" && /^\$(?:env:)?\w+$/i.test(program)) return true;
  return words.some((word) => CMD_FLAG.test(word)) && CMD_BUILTINS.test(program);
}
