import type { ApprovalRequest } from "../host/options.ts";

/** Characters of all arguments together: about a screen. */
const ARGUMENT_CHARACTERS = 3000;
const MOST_ARGUMENTS = 10;

/** The question whether a call may run. Agents wrote most of it, so all of it is escaped and cut. */
export function questionText({ tool, args, reason, hook }: ApprovalRequest): string {
  const name = shown(tool, 60);
  const why = reason === undefined ? "" : `: ${shown(reason, 400)}`;
  const who = hook === undefined ? "orcs" : `Hook ${shown(hook, 60)}`;
  return [`\n${who} asks about ${name}${why}`, ...argumentLines(args), `Run ${name}? [y/N] `].join(
    "\n",
  );
}

/** Text on one line that cannot steer a terminal or hide a part of itself, cut in its middle. */
export function shown(text: string, most: number): string {
  const escaped = text.replaceAll(
    UNSEEN,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
  const over = escaped.length - most;
  if (over <= 0) return escaped;
  const head = Math.ceil((most * 2) / 3);
  return `${escaped.slice(0, head)} …(${over} characters not shown)… ${escaped.slice(head + over)}`;
}

/** Controls, direction marks, lone surrogates, and what looks like nothing or like a space. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

function argumentLines(args: ApprovalRequest["args"]): string[] {
  const entries = Object.entries(args);
  const listed = entries.slice(0, MOST_ARGUMENTS);
  const most = Math.floor(ARGUMENT_CHARACTERS / listed.length);
  const lines = listed.map(([key, value]) => {
    const name = /^\w+$/.test(key) ? key : JSON.stringify(key);
    return `  ${shown(name, 40)} = ${shown(JSON.stringify(value), most)}`;
  });
  const more = entries.length - listed.length;
  return more > 0 ? [...lines, `  …and ${more} more arguments, not shown`] : lines;
}
