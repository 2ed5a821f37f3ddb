import { Command, InvalidArgumentError, Option } from "commander";
import { expectAcceptable, generateKey } from "../fleet/index.ts";
import type { BundleHeader, PublicKey } from "../fleet/index.ts";
import { HOOK_MODES } from "../core/index.ts";
import type { BuildFlags } from "./bundle-build.ts";
import { contentIn, publicKeys, signFile, verifiedFile, writeOut } from "./bundle-files.ts";
import { diagnosticsText, flatDiagnostic } from "./diagnostics-text.ts";
import { EXIT } from "./options.ts";
import { ownVersion } from "../machine/index.ts";
import { printable, renderTable } from "./table.ts";
import { paletteFor, Progress } from "./terminal.ts";
import { verbCommand } from "./verb-command.ts";

/** `orcs bundle`: one signed file with the configuration of many machines. */
export function bundleCommand(): Command {
  const bundle = verbCommand("bundle");
  for (const command of [
    buildVerb(),
    keygenVerb(),
    signVerb(),
    verifyVerb(),
    showVerb(),
    pushVerb(),
    pullVerb(),
    diffVerb(),
  ]) {
    bundle.addCommand(command.exitOverride().showHelpAfterError("(see --help)"));
  }
  return bundle;
}

function buildVerb(): Command {
  return verb("build", "check and test a folder, and write it into one file")
    .argument("<dir>", "a folder with an orcs.toml")
    .requiredOption("-o, --out <file>", "the file to write")
    .requiredOption("--revision <number>", "later bundles have higher ones", revision)
    .option("--name <name>", "default: the name of the folder")
    .option("--expires <time>", "not valid from then on: 2026-12-31, or 2026-12-31T18:00Z")
    .option("--not-before <time>", "not valid before")
    .option("--requires <version>", "the lowest version of orcs for it; default: this one")
    .addOption(new Option("--mode <mode>", "the strongest mode of its hooks").choices(HOOK_MODES))
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nThe same files and options make the same bytes. Exit code: 0 written, 1 tests failed, 2 errors.\n\n" +
        "Example:\n  orcs bundle build policy -o policy.orcsbundle --revision 7 --expires 2026-12-31",
    )
    .action(build);
}

function keygenVerb(): Command {
  return verb("keygen", "make a key for signing, and print the line for [bundle] keys")
    .requiredOption("-o, --out <file>", "the new private key; nobody else can read the file")
    .addHelpText("after", "\nExample:\n  orcs bundle keygen -o ~/policy.key")
    .action(({ out }: { out: string }) => {
      const { pem, key } = generateKey();
      writeOut(out, pem, { mode: 0o600, isNew: true });
      process.stdout.write(`${key.text}\n`);
      process.stderr.write(`orcs: wrote the private key ${key.id} to ${printable(out)}\n`);
    });
}

function signVerb(): Command {
  return verb("sign", "add a signature to a bundle; a second key adds a second one")
    .argument("<bundle>", "a file of orcs bundle build")
    .requiredOption("--key <file>", "the private key, from orcs bundle keygen")
    .option("-o, --out <file>", "write the signed bundle here instead of replacing the file")
    .option("-y, --yes", "do not expect a terminal: for a script of yours")
    .addHelpText("after", "\nExample:\n  orcs bundle sign policy.orcsbundle --key ~/policy.key")
    .action((file: string, { key, out = file }: { key: string; out?: string }) => {
      const id = signFile(file, key, out);
      process.stdout.write(`${printable(out)} is signed by ${id}\n`);
    });
}

function verifyVerb(): Command {
  return verb("verify", "check the signature, the content and the time of a bundle")
    .argument("<bundle>", "a bundle")
    .requiredOption("--trust <key...>", "trusted keys: ed25519:… or files with one")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExit code: 0 a machine with these keys would use it, 2 it would not.\n\n" +
        "Example:\n  orcs bundle verify policy.orcsbundle --trust policy.pub",
    )
    .action((file: string, { trust, json }: { trust: string[]; json?: true }) => {
      const { header, signers } = verifiedFile(file, publicKeys(trust));
      expectAcceptable(header, { now: Date.now(), version: ownVersion() });
      print(header, json, { signer: signers[0] });
    });
}

function showVerb(): Command {
  return verb("show", "print what a bundle states and contains, without verifying its signature")
    .alias("inspect")
    .argument("<bundle>", "a bundle")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  orcs bundle show policy.orcsbundle")
    .action((file: string, { json }: { json?: true }) => {
      const { header, signatures } = contentIn(file);
      print(header, json, { signatures: signatures.map(({ key }) => key) });
    });
}

function pushVerb(): Command {
  return verb("push", "publish a signed bundle with PUT, or write it to a path")
    .argument("<bundle>", "a signed bundle")
    .argument("<url>", "an http or https URL, or an absolute path")
    .option("--token-file <file>", "send the token in this file as Authorization: Bearer")
    .addHelpText(
      "after",
      "\nExample:\n  orcs bundle push policy.orcsbundle https://policy.example/policy.orcsbundle",
    )
    .action(async (file: string, url: string, { tokenFile }: { tokenFile?: string }) => {
      const { pushFile } = await import("./bundle-transfer.ts");
      const { shownUrl } = await import("../fleet/index.ts");
      await pushFile(file, url, tokenFile);
      process.stdout.write(`published ${printable(file)} at ${printable(shownUrl(url))}\n`);
    });
}

function pullVerb(): Command {
  return verb(
    "pull",
    "fetch, verify and test the bundle of your own configuration, and activate it",
  )
    .option("--json", "print JSON")
    .addHelpText("after", "\norcs serve does this by itself, every [bundle] poll.")
    .action(async ({ json }: { json?: true }) => {
      const { pullOwn } = await import("./bundle-transfer.ts");
      const { is, name, revision } = await pullOwn();
      const text = `${name}, revision ${revision}, is ${is === "new" ? "active now" : "active already"}`;
      process.stdout.write(`${json ? JSON.stringify({ is, name, revision }) : printable(text)}\n`);
    });
}

function diffVerb(): Command {
  return verb("diff", "show which files differ in two bundles, and which decisions would change")
    .argument("<old>", "a bundle")
    .argument("<new>", "a bundle")
    .option("--replay <record>", "re-run the events of this record, from --record")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExit code: 0 no difference, 1 differences.\n\nExample:\n  orcs bundle diff 7.orcsbundle 8.orcsbundle --replay events.jsonl",
    )
    .action(async (from: string, to: string, flags: { replay?: string; json?: true }) => {
      const { diffBundles } = await import("./bundle-diff.ts");
      process.exitCode = await diffBundles(from, to, flags);
    });
}

function verb(name: string, description: string): Command {
  return new Command(name).description(description);
}

async function build(dir: string, flags: BuildFlags & { json?: true }): Promise<void> {
  const { buildFolder } = await import("./bundle-build.ts");
  const progress = new Progress(process.stderr, "checking and testing");
  const { header, size, proof } = await buildFolder(dir, flags).finally(() => progress.close());
  const { diagnostics, failed, passed, hooks } = proof;
  if (flags.json) {
    const findings = { diagnostics: diagnostics.map(flatDiagnostic), failed };
    process.stdout.write(
      `${JSON.stringify({ ok: header !== undefined, size, hooks, passed, ...findings, header })}\n`,
    );
  } else {
    if (diagnostics.length > 0)
      process.stderr.write(`${diagnosticsText(diagnostics, paletteFor(process.stderr))}\n`);
    if (failed.length > 0) process.stderr.write(`${failed.join("\n\n")}\n`);
    process.stdout.write(
      header
        ? `wrote ${printable(flags.out)}: ${header.name}, revision ${header.revision}, ${header.files.length} files, ${size} bytes; ${passed} tests passed\n`
        : "nothing was written\n",
    );
  }
  if (!header) process.exitCode = failed.length > 0 ? EXIT.findings : EXIT.error;
}

interface By {
  readonly signer?: PublicKey | undefined;
  /** Ids of keys. */
  readonly signatures?: readonly string[];
}

function print(header: BundleHeader, json: boolean | undefined, { signer, signatures }: By): void {
  const by = signer ? { signer: signer.id } : { signatures };
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...header, ...by })}\n`);
    return;
  }
  const { name, revision, not_before, expires, created_by, requires, mode, files } = header;
  const rows = [
    ["name", name],
    ["revision", String(revision)],
    ["valid from", not_before ?? "always"],
    ["expires", expires ?? "never"],
    ["built by orcs", created_by],
    ["needs orcs", requires],
    ["mode", mode],
    signer
      ? ["verified", `signed by the trusted key ${signer.id}`]
      : ["signed by", `${signatures?.join(", ") || "nobody"} (not verified)`],
  ];
  const table = files.map(({ path, size, sha256 }) => [path, String(size), sha256.slice(0, 16)]);
  process.stdout.write(
    `${renderTable(["bundle", ""], rows)}\n\n${renderTable(["file", "bytes", "sha256"], table)}\n`,
  );
}

function revision(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError("It must be a whole number from 1.");
}
