import type { EffectCall } from "./command-effects.ts";

const KEY_COMMANDS: ReadonlySet<string> = new Set([
  "rsa",
  "ec",
  "pkey",
  "dsa",
  "genrsa",
  "x509",
  "req",
]);

/** openssl uses a private key without showing it, with `-noout` or `-pubout`. */
export function openssl({ described, byRole }: EffectCall): void {
  const { parts, meanings, operands } = described.args;
  const command = operands[0]?.text ?? "";
  const hides = command === "genrsa" || (meanings.has("hides") && !meanings.has("text"));
  byRole(parts, hides && KEY_COMMANDS.has(command) ? { shows: "nothing" } : {});
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
