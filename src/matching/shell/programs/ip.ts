import { through } from "../frame.ts";
import type { NestedShell } from "./nested-shell.ts";

/** Options of `ip` that take a value; all of its options can be shortened and have one dash or two. */
const WITH_VALUE = ["netns", "family", "batch", "loops", "rcvbuf"];

/** `ip netns exec NAME CMD` and `ip vrf exec NAME CMD`; with `-all`, there is no name. */
export function launchIp({ fields, frame, run }: NestedShell): void {
  const words = fields.slice(1);
  let isAll = false;
  let at = 0;
  for (; words[at]?.text.startsWith("-") === true; at++) {
    const name = words[at]?.text.replace(/^--?/, "") ?? "";
    if (name.length > 0 && "all".startsWith(name)) isAll = true;
    else if (WITH_VALUE.some((whole) => whole.startsWith(name))) at++;
  }
  const [object, verb] = words.slice(at);
  const isObject = /^(?:net(?:ns?)?|v(?:rf?)?)$/.test(object?.text ?? "");
  if (isObject && verb && verb.text !== "" && "exec".startsWith(verb.text))
    run(words.slice(at + (isAll ? 2 : 3)), through(frame, "ip", frame.scope.layer()));
}
