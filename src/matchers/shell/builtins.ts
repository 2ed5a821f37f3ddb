import { assignText } from "./assign.ts";
import { lexicalJoin } from "./directory.ts";
import type { Entered } from "./entered.ts";
import type { Field } from "./field.ts";
import { through } from "./frame.ts";
import type { Frame } from "./frame.ts";

/** Do to the scope what a builtin of the shell does; nothing for other programs. */
export function runBuiltin(entered: Entered): void {
  BUILTINS.get(entered.program)?.(entered.fields.slice(1), entered);
}

type Builtin = (args: readonly Field[], entered: Entered) => void;

const declare: Builtin = (args, { frame, reading }) => {
  for (const arg of args) assignText(arg, frame, reading);
};

const forget: Builtin = (args, { frame }) => {
  for (const { text } of args) if (/^[A-Za-z_]\w*$/.test(text)) frame.scope.set(text, null);
};

const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ["cd", (args, { frame }) => changeDirectory(args, frame)],
  ["pushd", (args, { frame }) => changeDirectory(args, frame)],
  ["popd", (_, { frame }) => moveTo(undefined, frame)],
  ["export", declare],
  ["declare", declare],
  ["typeset", declare],
  ["local", declare],
  ["readonly", declare],
  ["let", forget],
  ["mapfile", forget],
  ["readarray", forget],
  ["getopts", forget],
  ["read", forget],
  ["unset", unset],
  ["set", set],
  ["shift", shift],
  ["printf", printfVariable],
  ["alias", alias],
  ["trap", trap],
]);

function changeDirectory(args: readonly Field[], frame: Frame): void {
  const operands = args.filter(
    ({ text, known: isKnown }) => !isKnown || text === "-" || !/^[-+]/.test(text),
  );
  const [target] = operands;
  if (!target) {
    const home = frame.scope.get("HOME");
    return moveTo(typeof home === "string" ? home : undefined, frame);
  }
  if (!target.known || target.glob === true) return moveTo(undefined, frame);
  if (target.text === "-") return moveTo(frame.scope.previous, frame);
  return moveTo(lexicalJoin(frame.scope.cwd, target.text), frame);
}

function moveTo(directory: string | undefined, { scope }: Frame): void {
  scope.previous = scope.cwd;
  scope.cwd = directory;
}

function unset(args: readonly Field[], { frame }: Entered): void {
  for (const { text } of args) {
    if (!text.startsWith("-")) frame.scope.set(text, "");
    if (frame.scope.bodies(text).length > 0) frame.scope.define(text, []);
  }
}

/** `set -- words`: the positional parameters. */
function set(args: readonly Field[], { frame }: Entered): void {
  const end = args.findIndex(({ text }) => text === "--");
  if (end >= 0) frame.scope.positional = args.slice(end + 1);
  else if (args[0] && !/^[-+]/.test(args[0].text)) frame.scope.positional = args;
}

function shift(args: readonly Field[], { frame }: Entered): void {
  const { positional } = frame.scope;
  const count = args[0] ? Number(args[0].text) : 1;
  frame.scope.positional =
    Number.isInteger(count) && positional ? positional.slice(count) : undefined;
}

function printfVariable(args: readonly Field[], { frame }: Entered): void {
  const [flag, name, format, ...rest] = args;
  if (flag?.text !== "-v" || !name) return;
  const isPlain = format?.known === true && rest.length === 0 && !/[%\\]/.test(format.text);
  frame.scope.set(name.text, isPlain ? format.text : null);
}

/** What an alias stands for is listed where it is defined. */
function alias(args: readonly Field[], { frame, reading }: Entered): void {
  for (const { text } of args) {
    const at = text.indexOf("=");
    if (at > 0) reading.script(text.slice(at + 1), layered(frame, "alias"));
  }
}

function trap(args: readonly Field[], { frame, reading }: Entered): void {
  const [action, ...signals] = args.filter(({ text }) => text !== "--");
  if (!action || signals.length === 0 || /^-?$/.test(action.text)) return;
  reading.script(action.text, layered(frame, "trap"));
}

function layered(frame: Frame, wrapper: string): Frame {
  return through(frame, wrapper, frame.scope.layer());
}
