import type {
  AndOr,
  ArithmeticFor,
  Case,
  CommandNode,
  CompoundList,
  For,
  If,
  Pipeline,
  PipelineNode,
  Select,
  While,
} from "unbash";
import type { LineReading } from "./reader.ts";
import type { Frame, Stdin } from "./frame.ts";
import { forked, layered } from "./frame.ts";
import { MAX_FROM, MAX_ROUNDS } from "./limits.ts";
import { staticOutput } from "./static-output.ts";
import { expandWord, unmarked, valueOfWord } from "./words/expand-word.ts";

/** `a && b || c`: after `&&`, a command runs for certain only if the previous one cannot fail. */
export function runAndOr({ commands, operators }: AndOr, frame: Frame, reading: LineReading): void {
  const { scope } = frame;
  let state = scope;
  let isCertain = true;
  for (const [index, command] of commands.entries()) {
    if (index > 0 && operators[index - 1] === "||") {
      // Earlier commands may have stopped anywhere.
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

/** `a | b`: each is a subshell, except for the last one in some shells. */
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
    begin: reading.found.length,
    text: () => {
      const around = reading.around(layered(frame));
      const text = staticOutput(command, () => given(frame.stdin), around);
      return text === undefined ? undefined : unmarked(text);
    },
  };
}

function given(stdin: Stdin): string | undefined {
  const field = stdin.text();
  return (field && valueOfWord(field)) ?? undefined;
}

/** Whether a command certainly succeeds, so that the one after `&&` runs. */
function succeeds(node: PipelineNode, frame: Frame): boolean {
  if (node.type === "Pipeline") {
    const [only, ...more] = node.commands;
    // `time` answers what its command answers.
    const isTimed = node.prefixes.every(({ type }) => type === "Time");
    return only !== undefined && more.length === 0 && isTimed && succeeds(only, frame);
  }
  const { scope } = frame;
  if (node.type !== "Command" || node.redirects.length > 0) return false;
  const { name, prefix, args } = node;
  // An assignment fails when its last substitution fails.
  if (!name) return prefix.every((part) => part.type === "Assignment" && !/\$\(|`/.test(part.text));
  const words = CERTAIN.get(name.value);
  if (!words || scope.bodies(name.value).length > 0) return false;
  if (name.value === "mkdir" && !args.some(({ text }) => text === "-p")) return false;
  return args.every(({ text }) => words.test(text));
}

/** Commands that do not fail with such words; `cd` is assumed to succeed. */
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

/** `if …; elif …; else …`: each branch may run or not. */
export function runIf(node: If, frame: Frame, reading: LineReading): void {
  reading.statements(node.clause.commands, frame);
  const layers: Frame[] = [];
  const walk = ({ commands }: CompoundList, below: Frame): Frame => {
    const layer = layered(below);
    layers.push(layer);
    reading.statements(commands, layer);
    return layer;
  };
  walk(node.then, frame);
  // A later condition is evaluated when the earlier ones are false.
  let otherwise = frame;
  for (const { clause, then } of node.elif) {
    otherwise = walk(clause, otherwise);
    walk(then, otherwise);
  }
  if (node.else) walk(node.else, otherwise);
  for (const { scope } of layers) frame.scope.merge(scope);
}

/** `case … in`: a branch may run or not, and `;&` continues with the next. */
export function runCase(node: Case, frame: Frame, reading: LineReading): void {
  reading.looked(node.word, frame);
  for (const { pattern } of node.items) for (const word of pattern) reading.looked(word, frame);
  const branches: Frame[] = [];
  let before: Frame | undefined;
  for (const { body, terminator } of node.items) {
    const branch = layered(frame);
    if (before) branch.scope.merge(before.scope);
    reading.statements(body.commands, branch);
    branches.push(branch);
    before = terminator === ";&" || terminator === ";;&" ? branch : undefined;
  }
  for (const branch of branches) frame.scope.merge(branch.scope);
}

/** `for x in WORDS`: iteration by iteration if the words are known. */
export function runFor(node: For | Select, frame: Frame, reading: LineReading): void {
  const { type, name, wordlist, body } = node;
  const around = reading.around(frame);
  for (const word of wordlist ?? []) reading.substitutions(word, frame);
  const words = wordlist?.flatMap((word) => expandWord(word, around)) ?? frame.scope.positional;
  const values = words?.map(valueOfWord);
  const rounds = values?.every((value) => value !== null) === true ? values : undefined;
  const walk = (inner: Frame): void => reading.statements(body.commands, inner);
  if (type === "Select") frame.scope.set("REPLY", null);
  if (type === "Select" || !rounds || reading.rounds * rounds.length > MAX_ROUNDS) {
    frame.scope.set(name.value, null);
    return runLoop(frame, walk);
  }
  const before = reading.rounds;
  reading.rounds *= Math.max(1, rounds.length);
  const inner = layered(frame);
  for (const text of rounds) {
    inner.scope.set(name.value, text);
    const round = layered(inner);
    walk(round);
    inner.scope.follow(round.scope);
  }
  frame.scope.follow(inner.scope);
  reading.rounds = before;
  return undefined;
}

export function runArithmeticFor(node: ArithmeticFor, frame: Frame, reading: LineReading): void {
  const look = (inner: Frame): void => {
    for (const part of [node.initialize, node.test, node.update]) {
      if (part) reading.looked(part, inner);
    }
  };
  look(frame);
  runLoop(frame, (inner) => reading.statements(node.body.commands, inner));
}

export function runWhile({ clause, body }: While, frame: Frame, reading: LineReading): void {
  runLoop(frame, (inner) => {
    reading.statements(clause.commands, inner);
    reading.statements(body.commands, inner);
  });
}

/**
 * Iterates again if the first iteration may have changed the state at its start, with the changed variables unknown.
 */
function runLoop(frame: Frame, walk: (frame: Frame) => void): void {
  const first = layered(frame);
  // In a later iteration it is the last word of this one.
  first.scope.last = undefined;
  walk(first);
  const again = first.scope.differs(frame.scope);
  frame.scope.merge(first.scope);
  if (!again) return;
  const later = layered(frame);
  walk(later);
  frame.scope.merge(later.scope);
}
