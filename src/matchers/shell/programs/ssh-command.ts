import type { Entered } from "./entered.ts";
import { joinedScript, scriptText } from "../words/field.ts";
import { through } from "../frame.ts";
import { partOptions } from "./options.ts";
import { readStdinScript } from "./shell-programs.ts";

const OPTIONS = { short: "BbcDEeFIiJLlmOopQRSWwPM", long: ["ssh", "port"] };

/** Settings whose value is a command. */
const COMMAND = /^\s*(?:Proxy|Local|Remote|KnownHosts)Command[\s=]+([^]*)$/i;

/** `ssh HOST WORDS…`: the words joined are a script over there; without any, its shell reads the standard input. */
export function launchSsh(entered: Entered): void {
  const { fields, frame, program, reading } = entered;
  const inner = through(frame, program, frame.scope.child("machine"));
  const before = partOptions(fields.slice(1), OPTIONS);
  // Options may stand behind the host as well.
  const { rest, options } = partOptions(before.rest.slice(1), OPTIONS);
  for (const [name, value] of [...before.options, ...options]) {
    const command = name === "o" && value ? COMMAND.exec(scriptText(value))?.[1] : undefined;
    if (command !== undefined)
      reading.script(command, through(frame, program, frame.scope.child()));
  }
  if (rest.length > 0) reading.script(joinedScript(rest), inner);
  else if (before.rest.length > 0) readStdinScript({ ...entered, frame: inner });
}
