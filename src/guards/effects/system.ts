import type { EffectCall } from "./command-effects.ts";

const KEY_COMMANDS: ReadonlySet<string> = new Set(["rsa", "ec", "pkey", "dsa", "genrsa", "x509", "req"]);

/** openssl uses a private key without showing it, with `-noout` or `-pubout`. */
export function openssl({ described, byRole }: EffectCall): void {
  const { parts, meanings, operands } = described.args;
  const command = operands[0]?.text ?? "";
  const hides = command === "genrsa" || (meanings.has("hides") && !meanings.has("text"));
  byRole(parts, hides && KEY_COMMANDS.has(command) ? { shows: "nothing" } : {});
}

/** ssh-keygen shows a key with `-y` and `-e`. */
export function keygen({ described, byRole }: EffectCall): void {
  const { parts, meanings } = described.args;
  byRole(parts, meanings.has("shown") ? { shows: "part" } : {});
}

/** parallel: `parallel cat ::: a b`, `parallel -a LIST cat`, `:::: LIST`. */
export function parallel({ command, described, found, byRole }: EffectCall): void {
  byRole(described.args.parts);
  let kind = "";
  for (const [at, text] of command.argv.entries()) {
    if (/^:::+\+?$/.test(text)) kind = text;
    else if (kind.startsWith("::::"))
      found.file("read", { text, at, known: !command.unknown.includes(at) });
    else if (kind !== "")
      found.file("read", { text, at, known: !command.unknown.includes(at) }, { sure: false });
  }
}

/** find: `-files0-from LIST`, and the files that its tests and actions name. */
export function find({ command, found }: EffectCall): void {
  const { argv, unknown } = command;
  const file = (at: number): { text: string; at: number; known: boolean } => ({
    text: argv[at] ?? "",
    at,
    known: !unknown.includes(at),
  });
  for (let at = 1; at < argv.length; at++) {
    if (argv[at] === "-files0-from") found.file("read", file(at + 1));
    if (/^-f(?:print0?|printf|ls)$/.test(argv[at] ?? "")) found.file("write", file(at + 1));
  }
}
