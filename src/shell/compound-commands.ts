import type { ArithmeticFor, Case, CompoundList, For, If, Select, While } from "unbash";
import type { Frame } from "./frame.ts";
import { layered } from "./frame.ts";
import { MAX_ROUNDS } from "./limits.ts";
import type { LineReading } from "./line-reading.ts";
import { expandWord } from "./words/expand-word.ts";

/** `if …; elif …; else …`: each branch may run, or not. */
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
  // A later condition is looked at when the ones before it do not hold.
  let otherwise = frame;
  for (const { clause, then } of node.elif) {
    otherwise = walk(clause, otherwise);
    walk(then, otherwise);
  }
  if (node.else) walk(node.else, otherwise);
  for (const { scope } of layers) frame.scope.merge(scope);
}

/** `case … in`: a branch may run, or not, and `;&` leads from one into the next. */
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

/** `for x in WORDS`: round by round where the words are known. */
export function runFor(node: For | Select, frame: Frame, reading: LineReading): void {
  const { type, name, wordlist, body } = node;
  const around = reading.around(frame);
  for (const word of wordlist ?? []) reading.substitutions(word, frame);
  const words = wordlist?.flatMap((word) => expandWord(word, around)) ?? frame.scope.positional;
  const rounds = words?.every((word) => word.known) === true ? words : undefined;
  const walk = (inner: Frame): void => reading.statements(body.commands, inner);
  if (type === "Select") frame.scope.set("REPLY", null);
  if (type === "Select" || !rounds || reading.rounds * rounds.length > MAX_ROUNDS) {
    frame.scope.set(name.value, null);
    return runLoop(frame, walk);
  }
  const before = reading.rounds;
  reading.rounds *= Math.max(1, rounds.length);
  const inner = layered(frame);
  for (const { text } of rounds) {
    inner.scope.set(name.value, text);
    const round = layered(inner);
    walk(round);
    inner.scope.follow(round.scope);
  }
  frame.scope.merge(inner.scope);
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

/** A round whose beginning the one before may have changed is walked again, with what it changed unknown. */
function runLoop(frame: Frame, walk: (frame: Frame) => void): void {
  const first = layered(frame);
  walk(first);
  const again = first.scope.differs(frame.scope);
  frame.scope.merge(first.scope);
  if (!again) return;
  const later = layered(frame);
  walk(later);
  frame.scope.merge(later.scope);
}
