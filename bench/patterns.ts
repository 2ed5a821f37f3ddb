import { median } from "./measure.ts";
import type { Row } from "./report.ts";
import { inside, newState, withBytes } from "./vm.ts";
import type { Raw } from "./vm.ts";

const PATTERNS = [
  "^%s*(.-)%s*$",
  "git%s+push",
  "(%w+)=(%w+)",
  "%-%-force",
  "[%w_]+",
  "^/etc/",
  "%d+%.%d+",
  "%f[%w]%w+",
  '"([^"]*)"',
  "rm%s+%-rf",
];
const COMMAND =
  '  cd /home/user/project && git   push origin main --force; echo "done" key=value v1.25 rm -rf /tmp/xy ';
const SUBJECTS = { "100 B": COMMAND, "10 KB": COMMAND.repeat(100) };
const CALLS = { find: "find(s, p)", match: "match(s, p)", gsub: "gsub(s, p, 'X')" };
const ROUNDS = 7;
const SAMPLE_US = 4000;

/** The interruptible pattern functions against the C ones of the same VM, called from a Lua loop. */
export async function patternRows(): Promise<Row[]> {
  const raw = (await inside("wasm")).instantiateLua();
  const { installPatterns } = await inside("patterns/functions");
  const patterns = installPatterns(raw, { check: () => void performance.now() });
  const ofC = newState(raw);
  const ours = newState(raw);
  patterns.mount(ours);
  const rows: Row[] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    for (const [size, subject] of Object.entries(SUBJECTS)) {
      const pairs = PATTERNS.map((pattern) => compare(raw, [ours, ofC], call, subject, pattern));
      rows.push({
        key: "patterns",
        what: `interruptible ${name}, ${size}, median of ten patterns`,
        us: median(pairs.map(([own]) => own)),
        baseline: median(pairs.map(([, c]) => c)),
        ratio: median(pairs.map(([own, c]) => own / c)),
      });
    }
  }
  return rows;
}

/** Microseconds of each state's call: the best of some rounds, taken in turns. */
function compare(
  raw: Raw,
  states: readonly [number, number],
  call: string,
  subject: string,
  pattern: string,
): [number, number] {
  let count = 20;
  while (time(raw, states[1], call, subject, pattern, count) * count < SAMPLE_US) count *= 2;
  const best: [number, number] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    for (const i of [0, 1] as const) {
      best[i] = Math.min(best[i], time(raw, states[i], call, subject, pattern, count));
    }
  }
  return best;
}

function time(
  raw: Raw,
  L: number,
  call: string,
  subject: string,
  pattern: string,
  n: number,
): number {
  const code = `local find, match, gsub = string.find, string.match, string.gsub
    local s, p = ... for i = 1, ${n} do ${call} end`;
  withBytes(raw, code, (at, size) => raw.luaL_loadbufferx(L, at, size, at, 0));
  for (const text of [subject, pattern]) {
    withBytes(raw, text, (at, size) => raw.lua_pushlstring(L, at, size));
  }
  const started = performance.now();
  if (raw.lua_pcallk(L, 2, 0, 0, 0, 0) !== 0) throw new Error(`${call} failed`);
  return ((performance.now() - started) * 1000) / n;
}
