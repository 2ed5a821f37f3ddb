import type { ApartLine, ApartRequest } from "./evaluate-apart.ts";
import { evaluateHere } from "./evaluate.ts";
import { print, readStdin } from "./stdio.ts";

// The process that `orcs hook` evaluates an event in when modules take part: it is ended when it takes too long.

const stdin = await readStdin(10_000);
if (!stdin.ok) throw new Error(stdin.why);
const { asked, mark } = JSON.parse(stdin.text) as ApartRequest;
const say = (line: ApartLine): void => void print(1, `${mark}${JSON.stringify(line)}\n`);
const evaluated = await evaluateHere(asked, (ms) => say({ loading: ms ?? null }));
say({ answer: evaluated.answer });
await evaluated.finish?.();
process.exit(0);
