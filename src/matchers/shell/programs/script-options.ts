import type { Wrapper } from "./wrapper.ts";

function scripts(short: string, ...long: readonly string[]): Wrapper {
  return { short, long, scripts: [...Array.from(short), ...long], operands: Infinity };
}

/** Programs that run no command of their words, but the scripts that some of their options hold. */
export const SCRIPT_OPTIONS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["ctest", scripts("", "launcher")],
  ["fzf", scripts("", "preview")],
  ["man", scripts("P", "pager")],
  [
    "nodemon",
    { short: "xew", long: ["exec", "ext", "watch"], scripts: ["x", "exec"], operands: Infinity },
  ],
  ["rg", scripts("", "pre", "hostname-bin")],
  [
    "rsync",
    {
      short: "efMTBf",
      long: ["rsh", "exclude", "include"],
      scripts: ["e", "rsh", "rsync-path"],
      operands: Infinity,
    },
  ],
  ["scp", { short: "cDFiJlPSX", scripts: ["S"], operands: Infinity }],
  ["sftp", { short: "BbcDFiJlPRSsX", scripts: ["S"], operands: Infinity }],
  ["sbatch", scripts("", "wrap")],
  ["sort", scripts("", "compress-program")],
  ["split", scripts("", "filter")],
  [
    "tar",
    {
      short: "bCfFgHIKLNTVX",
      long: ["file", "directory", "exclude"],
      scripts: [
        "F",
        "I",
        "info-script",
        "new-volume-script",
        "to-command",
        "use-compress-program",
        "rsh-command",
      ],
      operands: Infinity,
    },
  ],
  [
    "zip",
    { short: "bintx", long: ["unzip-command"], scripts: ["unzip-command"], operands: Infinity },
  ],
]);
