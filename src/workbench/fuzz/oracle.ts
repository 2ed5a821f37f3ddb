import { basename } from "node:path";
import { createShellReader } from "../../matching/index.ts";
import { type Forbidden, forbiddenAmong } from "./forbidden.ts";
import { openSandbox } from "./sandbox.ts";
import { quoteWords } from "../../core/index.ts";

/** Says what lines really run. */
export interface Oracle {
  /** A bash in a sandbox that ran them, or the reader of orcs, which only read them. */
  readonly kind: "sandbox" | "reader";
  /** Why it is the reader; undefined if it is the sandbox. */
  readonly why?: string;
  /** For each line, the forbidden command that it ran; undefined if it did not run one. */
  ran(lines: readonly string[]): Promise<readonly (readonly string[] | undefined)[]>;
  close(): void;
}

/** The best oracle of this machine that sees the commands themselves run. */
export async function openOracle(forbidden: Forbidden): Promise<Oracle> {
  const programs = forbidden.commands.map(([program = ""]) => basename(program));
  const sandbox = await openSandbox(programs, forbidden.usesEnvironment);
  if ("why" in sandbox) return readerOracle(forbidden, sandbox.why);
  const ran: Oracle["ran"] = async (lines) =>
    (await sandbox.run(lines)).map((each) => forbiddenAmong(each, forbidden));
  const seen = await ran(forbidden.commands.map(quoteWords));
  const unseen = forbidden.commands.find((_, at) => seen[at] === undefined);
  if (!unseen) return { kind: "sandbox", ran, close: () => sandbox.close() };
  sandbox.close();
  return readerOracle(forbidden, `bash does not start a program for ${unseen.join(" ")}`);
}

/** Believes what the reader of orcs knows for sure. */
function readerOracle(forbidden: Forbidden, why: string): Oracle {
  const reader = createShellReader();
  const ranIn = (line: string): readonly string[] | undefined => {
    const known = reader
      .read(line)
      .commands.filter(({ unknown, program }) => unknown.length === 0 && program !== "");
    return forbiddenAmong(
      known.map(({ argv }) => ({ argv, env: {} })),
      forbidden,
    );
  };
  return { kind: "reader", why, ran: async (lines) => lines.map(ranIn), close: () => {} };
}
