/** A word of letters, or in quotes, with variables but nothing that a shell would run. */
const WORD = String.raw`(?:'[^'\n]*'|"(?:[^"$\x60\\\n]|\$(?:\{\w+\}|\w))*"|\\'|[\w@%+=:,./~-]|\$(?:\{\w+\}|\w))+`;
const CALL = new RegExp(String.raw`^${WORD}(?:[ \t]+${WORD})*$`);

/**
 * Whether a command does nothing but start one program. What is found in a project may be anything, and asking
 * what is wrong must not run more than a program with its arguments.
 */
export function isPlainCall(command: string): boolean {
  return CALL.test(command.trim());
}
