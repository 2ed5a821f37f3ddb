import type { AndOr, CommandNode, Pipeline, PipelineNode } from "unbash";
import type { Frame, Stdin } from "./frame.ts";
import { forked, layered } from "./frame.ts";
import { MAX_FROM } from "./limits.ts";
import type { LineReading } from "./line-reading.ts";
import { staticOutput } from "./static-output.ts";
import { known } from "./words/field.ts";

/** `a && b || c`: what `&&` joins happens for certain only behind what cannot fail. */
export function runAndOr({ commands, operators }: AndOr, frame: Frame, reading: LineReading): void {
  const { scope } = frame;
  let state = scope;
  let isCertain = true;
  for (const [index, command] of commands.entries()) {
    if (index > 0 && operators[index - 1] === "||") {
      // What comes before may have stopped anywhere.
      if (state !== scope) scope.merge(state);
      state = scope;
      const other = state.layer();
      reading.node(command, { ...frame, scope: other });
      state.merge(other);
      isCertain = false;
      continue;
    }
    if (!isCertain && state === scope) state = scope.layer();
    reading.node(command, { ...frame, scope: state });
    isCertain &&= succeeds(command, frame);
  }
  if (state !== scope) scope.merge(state);
}

/** `a | b`: each of them is a subshell, but for the last one in some shells. */
export function runPipeline({ commands }: Pipeline, frame: Frame, reading: LineReading): void {
  const [only] = commands;
  if (commands.length === 1 && only) return reading.node(only, frame);
  const from = new Set<string>();
  let inner = frame;
  let { stdin } = frame;
  for (const command of commands) {
    const begin = reading.found.length;
    inner = { ...forked(frame), stdin };
    reading.node(command, inner);
    for (const program of reading.programsSince(begin)) {
      if (from.size < MAX_FROM) from.add(program);
    }
    stdin = outputOf(command, inner, [...from], reading);
  }
  return frame.scope.merge(inner.scope);
}

function outputOf(
  command: CommandNode,
  frame: Frame,
  from: readonly string[],
  reading: LineReading,
): Stdin {
  return {
    piped: true,
    from,
    text: () => {
      const around = reading.around(layered(frame));
      const text = staticOutput(command, () => knownText(frame.stdin), around);
      return text === undefined ? undefined : known(text);
    },
  };
}

function knownText(stdin: Stdin): string | undefined {
  const field = stdin.text();
  return field?.known === true ? field.text : undefined;
}

/** Whether a command is taken to succeed, so that what `&&` joins to it happens. */
function succeeds(node: PipelineNode, { scope }: Frame): boolean {
  if (node.type !== "Command" || node.redirects.length > 0) return false;
  const { name, prefix, args } = node;
  // An assignment fails when the last substitution in it does.
  if (!name) return prefix.every((part) => part.type === "Assignment" && !/\$\(|`/.test(part.text));
  const words = CERTAIN.get(name.value);
  if (!words || scope.bodies(name.value).length > 0) return false;
  if (name.value === "mkdir" && !args.some(({ text }) => text === "-p")) return false;
  return args.every(({ text }) => words.test(text));
}

/** Commands that do not fail with such words; `cd` is taken not to. */
const CERTAIN: ReadonlyMap<string, RegExp> = new Map([
  [":", /^/],
  ["cd", /^/],
  ["echo", /^/],
  ["export", /^[A-Za-z_]\w*=/],
  ["mkdir", /^(?:-p|[^-].*)$/],
  ["pushd", /^/],
  ["set", /^(?:-[eux]*o?|pipefail|errexit|nounset)$/],
  ["true", /^/],
]);
