import type { Command } from "commander";
import { expectAcceptable, generateKey } from "../fleet/index.ts";
import type { BundleHeader, PublicKey } from "../fleet/index.ts";
import { HOOK_MODES } from "../core/index.ts";
import { contentIn, publicKeys, signFile, verifiedFile, writeOut } from "./bundle-files.ts";
import { diagnosticsText, flatDiagnostic } from "./diagnostics-text.ts";
import { EXIT, JSON_OUTPUT, wholeNumber } from "./options.ts";
import { print, printEither, printJson, tell } from "./output.ts";
import { ownVersion } from "../machine/index.ts";
import { printable, renderTable } from "./table.ts";
import { paletteFor, Progress } from "./terminal.ts";
import { flag, groupCommand, type OptionsOf, subcommand, value } from "./verb-command.ts";

/** `orcs bundle`: one signed file with the configuration of many machines. */
export function bundleCommand(): Command {
  return groupCommand("bundle", [
    subcommand("build", {
      does: "check and test a folder, and write it into one file",
      takes: { "<dir>": "a folder with an orcs.toml" },
      options: BUILD,
      help:
        "The same files and options make the same bytes. Exit code: 0 written, 1 tests failed, 2 errors.\n\n" +
        "Example:\n  orcs bundle build policy -o policy.orcsbundle --revision 7 --expires 2026-12-31",
      run: build,
    }),
    subcommand("keygen", {
      does: "make a key for signing, and print the line for [bundle] keys",
      options: {
        out: value("<file>", "the new private key; nobody else can read the file", {
          short: "o",
          isRequired: true,
        }),
      },
      help: "Example:\n  orcs bundle keygen -o ~/policy.key",
      run: ({ out }) => {
        const { pem, key } = generateKey();
        writeOut(out, pem, { mode: 0o600, isNew: true });
        print(key.text);
        tell(`orcs: wrote the private key ${key.id} to ${printable(out)}`);
      },
    }),
    subcommand("sign", {
      does: "add a signature to a bundle; a second key adds a second one",
      takes: { "<bundle>": "a file of orcs bundle build" },
      options: {
        key: value("<file>", "the private key, from orcs bundle keygen", { isRequired: true }),
        out: value("<file>", "write the signed bundle here instead of replacing the file", {
          short: "o",
        }),
        yes: flag("do not expect a terminal: for a script of yours", { short: "y" }),
      },
      help: "Example:\n  orcs bundle sign policy.orcsbundle --key ~/policy.key",
      run: ({ key, out }, file: string) => {
        const to = out ?? file;
        const id = signFile(file, key, to);
        print(`${printable(to)} is signed by ${id}`);
      },
    }),
    subcommand("verify", {
      does: "check the signature, the content and the time of a bundle",
      takes: A_BUNDLE,
      options: {
        trust: value("<key...>", "trusted keys: ed25519:… or files with one", { isRequired: true }),
        json: JSON_OUTPUT,
      },
      help:
        "Exit code: 0 a machine with these keys would use it, 2 it would not.\n\n" +
        "Example:\n  orcs bundle verify policy.orcsbundle --trust policy.pub",
      run: ({ trust, json }, file: string) => {
        const { header, signers } = verifiedFile(file, publicKeys(trust));
        expectAcceptable(header, { now: Date.now(), version: ownVersion() });
        printHeader(header, json, { signer: signers[0] });
      },
    }),
    subcommand("show", {
      does: "print what a bundle states and contains, without verifying its signature",
      takes: A_BUNDLE,
      options: { json: JSON_OUTPUT },
      help: "Example:\n  orcs bundle show policy.orcsbundle",
      run: ({ json }, file: string) => {
        const { header, signatures } = contentIn(file);
        printHeader(header, json, { signatures: signatures.map(({ key }) => key) });
      },
    }).alias("inspect"),
    subcommand("push", {
      does: "publish a signed bundle with PUT, or write it to a path",
      takes: {
        "<bundle>": "a signed bundle",
        "<url>": "an http or https URL, or an absolute path",
      },
      options: {
        tokenFile: value("<file>", "send the token in this file as Authorization: Bearer"),
      },
      help: "Example:\n  orcs bundle push policy.orcsbundle https://policy.example/policy.orcsbundle",
      run: async ({ tokenFile }, file: string, url: string) => {
        const { pushFile } = await import("./bundle-transfer.ts");
        const { shownUrl } = await import("../fleet/index.ts");
        await pushFile(file, url, tokenFile);
        print(`published ${printable(file)} at ${printable(shownUrl(url))}`);
      },
    }),
    subcommand("pull", {
      does: "fetch, verify and test the bundle of your own configuration, and activate it",
      options: { json: JSON_OUTPUT },
      help: "orcs serve does this by itself, every [bundle] poll.",
      run: async ({ json }) => {
        const { pullOwn } = await import("./bundle-transfer.ts");
        const { is, name, revision } = await pullOwn();
        const state = is === "new" ? "active now" : "active already";
        printEither(json, { is, name, revision }, () =>
          printable(`${name}, revision ${revision}, is ${state}`),
        );
      },
    }),
    subcommand("diff", {
      does: "show which files differ in two bundles, and which decisions would change",
      takes: { "<old>": "a bundle", "<new>": "a bundle" },
      options: {
        replay: value("<record>", "re-run the events of this record, from --record"),
        json: JSON_OUTPUT,
      },
      help: "Exit code: 0 no difference, 1 differences.\n\nExample:\n  orcs bundle diff 7.orcsbundle 8.orcsbundle --replay events.jsonl",
      run: async (flags, from: string, to: string) => {
        const { diffBundles } = await import("./bundle-diff.ts");
        process.exitCode = await diffBundles(from, to, flags);
      },
    }),
  ]);
}

const A_BUNDLE = { "<bundle>": "a bundle" };

const BUILD = {
  out: value("<file>", "the file to write", { short: "o", isRequired: true }),
  revision: value("<number>", "later bundles have higher ones", {
    parse: wholeNumber(1),
    isRequired: true,
  }),
  name: value("<name>", "default: the name of the folder"),
  expires: value("<time>", "not valid from then on: 2026-12-31, or 2026-12-31T18:00Z"),
  notBefore: value("<time>", "not valid before"),
  requires: value("<version>", "the lowest version of orcs for it; default: this one"),
  mode: value("<mode>", "the strongest mode of its hooks", { choices: HOOK_MODES }),
  json: JSON_OUTPUT,
};
/** What the command line states of a new bundle. */
export type BuildFlags = OptionsOf<typeof BUILD>;

async function build(flags: BuildFlags, dir: string): Promise<void> {
  const { buildFolder } = await import("./bundle-build.ts");
  const progress = new Progress(process.stderr, "checking and testing");
  const { header, size, proof } = await buildFolder(dir, flags).finally(() => progress.close());
  const { diagnostics, failed, passed, hooks } = proof;
  if (flags.json) {
    const findings = { diagnostics: diagnostics.map(flatDiagnostic), failed };
    printJson({ ok: header !== undefined, size, hooks, passed, ...findings, header });
  } else {
    if (diagnostics.length > 0) tell(diagnosticsText(diagnostics, paletteFor(process.stderr)));
    if (failed.length > 0) tell(failed.join("\n\n"));
    print(
      header
        ? `wrote ${printable(flags.out)}: ${header.name}, revision ${header.revision}, ${header.files.length} files, ${size} bytes; ${passed} tests passed`
        : "nothing was written",
    );
  }
  if (!header) process.exitCode = failed.length > 0 ? EXIT.findings : EXIT.error;
}

interface By {
  readonly signer?: PublicKey | undefined;
  /** Ids of keys. */
  readonly signatures?: readonly string[];
}

function printHeader(
  header: BundleHeader,
  json: boolean | undefined,
  { signer, signatures }: By,
): void {
  const by = signer ? { signer: signer.id } : { signatures };
  if (json === true) return printJson({ ...header, ...by });
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
  print(renderTable(["bundle", ""], rows));
  print(`\n${renderTable(["file", "bytes", "sha256"], table)}`);
}
