import type { Entered } from "./entered.ts";
import { through } from "./frame.ts";
import { partOptions } from "./options.ts";
import { readStdinScript } from "./shell-programs.ts";

const OPTIONS = { short: "BbcDEeFIiJLlmOopQRSWwPM", long: ["ssh", "port"] };

/** `ssh HOST WORDS…`: the words joined are a script over there; without any, its shell reads the standard input. */
export function launchSsh(entered: Entered): void {
  const { fields, frame, program, reading } = entered;
  const inner = through(frame, program, frame.scope.layer());
  inner.scope.cwd = undefined;
  const before = partOptions(fields.slice(1), OPTIONS);
  for (const [name, value] of before.options) {
    const local =
      name === "o" && value ? /^(?:Proxy|Local)Command[= ](.*)$/i.exec(value.text) : null;
    if (local?.[1] !== undefined) reading.script(local[1], inner);
  }
  // Options may stand behind the host as well.
  const { rest } = partOptions(before.rest.slice(1), OPTIONS);
  if (rest.length > 0) reading.script(rest.map(({ text }) => text).join(" "), inner);
  else if (before.rest.length > 0) readStdinScript({ ...entered, frame: inner });
}
