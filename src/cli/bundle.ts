import type { Command } from "commander";
import {
  BUNDLE_LIMITS,
  type BundleContent,
  type BundleHeader,
  type BundleSettings,
  type PublicKey,
  type UncheckedBundle,
  buildBundle,
  bundleBytes,
  collectFiles,
  contentOf,
  expectAcceptable,
  generateKey,
  openBundle,
  pathOf,
  privateKey,
  publicKey,
  pullBundle,
  putBundle,
  shownUrl,
  signHeader,
  splitBundle,
  withSignature,
} from "../fleet/index.ts";
import { type ErrorCode, HOOK_MODES, OrcsError, mapChanges, messageOf } from "../core/index.ts";
import { diagnosticsText, flatDiagnostic } from "./diagnostics-text.ts";
import { EXIT, JSON_OUTPUT, wholeNumber } from "./options.ts";
import { print, printEither, printJson, tell } from "./output.ts";
import {
  ANY_FILE,
  createFiles,
  fileBytes,
  inTemporaryFolder,
  ownVersion,
  realpath,
  replaceFile,
} from "../machine/index.ts";
import { printable, renderTable } from "./table.ts";
import { paletteFor, Progress } from "./terminal.ts";
import { flag, groupCommand, type OptionsOf, subcommand, value } from "./verb-command.ts";
import { basename, join, resolve } from "node:path";
import { type BundleProof, isProven, proofProblem, proveBundle } from "./bundle-proof.ts";
import { withoutComments } from "../engine/index.ts";
import { CONFIG_NAME, loadConfig, shownMachineFiles } from "../config/index.ts";
import type { ReplaySummary, SetOptions } from "../workbench/index.ts";
import { printFlips } from "./replay-text.ts";

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
        await pushFile(file, url, tokenFile);
        print(`published ${printable(file)} at ${printable(shownUrl(url))}`);
      },
    }),
    subcommand("pull", {
      does: "fetch, verify and test the bundle of your own configuration, and activate it",
      options: { json: JSON_OUTPUT },
      help: "orcs serve does this by itself, every [bundle] poll.",
      run: async ({ json }) => {
        const { is, name, revision } = await pullBundle(await ownBundle(), { prove: proofProblem });
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
type BuildFlags = OptionsOf<typeof BUILD>;

async function build(flags: BuildFlags, dir: string): Promise<void> {
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

/** A built bundle. */
interface Built {
  /** Undefined when it was not written, because of its proof. */
  readonly header: BundleHeader | undefined;
  /** Size of the file. */
  readonly size: number;
  readonly proof: BundleProof;
}

/**
 * Check and test a folder, and write its bundle.
 * @throws OrcsError ORCS9005, ORCS1015, ORCS5002
 */
export async function buildFolder(dir: string, flags: BuildFlags): Promise<Built> {
  const collected = [...(await collectFiles(resolve(dir)))];
  const files = new Map(collected.map(([path, bytes]) => [path, shipped(path, bytes)]));
  const { name = basename(realpath(resolve(dir))), revision, expires, notBefore, mode } = flags;
  const version = ownVersion();
  const stated = {
    name,
    revision,
    not_before: time(notBefore, "--not-before"),
    expires: time(expires, "--expires"),
    created_by: version,
    requires: flags.requires ?? version,
    mode: mode ?? "enforce",
  };
  // Mistakes in the options first: tests may take a while.
  const { bytes, header } = buildBundle(stated, files);
  const proof = await proveBundle(files);
  if (!isProven(proof)) return { header: undefined, size: 0, proof };
  writeOut(flags.out, bytes);
  return { header, size: bytes.length, proof };
}

/** Comments would be a third of a bundle. What is tested and signed has none. */
function shipped(path: string, bytes: Uint8Array): Uint8Array {
  if (!path.endsWith(".lua")) return bytes;
  // Byte by byte: Lua has no encoding.
  return Buffer.from(withoutComments(Buffer.from(bytes).toString("latin1")), "latin1");
}

/** A date, or a time in UTC, in the form of a header. */
function time(text: string | undefined, option: string): string | null {
  if (text === undefined) return null;
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) && !Number.isNaN(at.getTime())) {
    return at.toISOString().replace(".000Z", "Z");
  }
  const why = `${option} ${text} is neither a date such as 2026-12-31 nor a time such as 2026-12-31T18:00Z`;
  throw new OrcsError("ORCS5001", why);
}

/**
 * Publish a bundle.
 * @param tokenFile with the token of an `Authorization: Bearer` header
 * @throws OrcsError ORCS9001, ORCS9006
 */
async function pushFile(file: string, url: string, tokenFile?: string): Promise<void> {
  const bytes = bundleIn(file);
  const split = splitBundle(bytes);
  contentOf(split);
  if (split.signatures.length === 0) {
    throw new OrcsError("ORCS9006", `${file} is not signed: no machine would use it`, { file });
  }
  const path = pathOf(url);
  if (path !== undefined) return writeOut(path, bytes);
  if (tokenFile === undefined) return putBundle(url, bytes);
  const token = readOr(tokenFile, "ORCS9006", MAX_KEY_BYTES).toString("latin1").trim();
  await putBundle(url, bytes, { authorization: `Bearer ${token}` });
}

/** `[bundle]` of the user's own configuration; a project has none. @throws OrcsError ORCS5001 */
async function ownBundle(): Promise<BundleSettings> {
  const { settings } = await loadConfig({
    cwd: process.cwd(),
    project: false,
    machine: shownMachineFiles(),
  });
  const { url } = settings.bundle;
  if (url === undefined) {
    const why = "your own configuration names no bundle: set [bundle] url and keys";
    throw new OrcsError("ORCS5001", why);
  }
  return { ...settings.bundle, url };
}

/**
 * Show how two bundles differ, and which decisions of recorded events the second one would change.
 * @returns the exit code
 */
export async function diffBundles(
  from: string,
  to: string,
  { replay: record, json = false }: { readonly replay?: string; readonly json?: boolean },
): Promise<number> {
  const [old, next] = [contentIn(from), contentIn(to)];
  const files = mapChanges(hashesOf(old), hashesOf(next), "path");
  const side = ({ header: { name, revision, mode } }: BundleContent) => ({ name, revision, mode });
  printEither(json, { from: side(old), to: side(next), files }, () => {
    const rows = files.map(({ path, is }) => [path, is]);
    const title = `${old.header.name} ${old.header.revision} → ${next.header.name} ${next.header.revision}`;
    return rows.length > 0 ? renderTable([title, ""], rows) : `${title}: the same files`;
  });
  const summary = record === undefined ? undefined : await flips(old, next, record, json);
  return files.length > 0 || (summary?.differ ?? 0) > 0 ? EXIT.findings : EXIT.fine;
}

function hashesOf({ header: { files } }: BundleContent): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, sha256 }) => [path, sha256]));
}

/** The events that the two bundles decide differently. */
function flips(
  from: BundleContent,
  to: BundleContent,
  record: string,
  json: boolean,
): Promise<ReplaySummary> {
  return inTemporaryFolder("orcs-diff-", async (folder) => {
    const set = ({ files }: BundleContent, name: string): SetOptions => {
      const cwd = join(realpath(folder), name);
      createFiles(cwd, files);
      return { config: join(cwd, CONFIG_NAME), cwd };
    };
    return printFlips({ record, set: set(to, "new"), against: set(from, "old") }, json);
  });
}

/** The bytes of a bundle. @throws OrcsError ORCS9001 */
function bundleIn(file: string): Buffer {
  return readOr(file, "ORCS9001", BUNDLE_LIMITS.file);
}

/** A bundle and its content, whoever signed it. @throws OrcsError ORCS9001 */
function contentIn(file: string): BundleContent & Pick<UncheckedBundle, "signatures"> {
  const split = splitBundle(bundleIn(file));
  return { ...contentOf(split), signatures: split.signatures };
}

/** Add a signature to a bundle. @returns the id of the key. @throws OrcsError ORCS9001, ORCS9007, ORCS5002 */
export function signFile(file: string, keyFile: string, out: string): string {
  const split = splitBundle(bundleIn(file));
  // A damaged one is not signed.
  contentOf(split);
  const pem = readOr(keyFile, "ORCS9007", MAX_KEY_BYTES).toString("latin1");
  const signature = signHeader(split.header, privateKey(pem, keyFile));
  writeOut(out, bundleBytes(withSignature(split, signature)));
  return signature.key;
}

/** Public keys: as in `[bundle] keys`, or in a file with one. @throws OrcsError ORCS9007 */
export function publicKeys(given: readonly string[]): PublicKey[] {
  return given.map((text) => {
    if (text.startsWith("ed25519:")) return publicKey(text);
    return publicKey(readOr(text, "ORCS9007", MAX_KEY_BYTES).toString("latin1").trim());
  });
}

/** The verified content of a bundle file. @throws OrcsError ORCS9001, ORCS9002 */
export function verifiedFile(file: string, keys: readonly PublicKey[]) {
  return openBundle(bundleIn(file), keys);
}

const MAX_KEY_BYTES = 10_000;

/** A file that must be readable. @throws OrcsError with the code */
function readOr(file: string, code: ErrorCode, most: number): Buffer {
  try {
    return fileBytes(resolve(file), most);
  } catch (thrown) {
    throw new OrcsError(code, `${file} cannot be read: ${messageOf(thrown)}`, { file });
  }
}

/**
 * Write a file in one step: it is complete, or as it was before.
 * @param how `mode` for the permissions of a new file; `isNew` expects that there is none
 * @throws OrcsError ORCS5002
 */
function writeOut(
  file: string,
  bytes: Uint8Array | string,
  how: { readonly mode?: number; readonly isNew?: true } = {},
): void {
  try {
    replaceFile(resolve(file), bytes, {
      mode: how.mode ?? ANY_FILE,
      isNew: how.isNew,
      isDurable: true,
    });
  } catch (thrown) {
    throw new OrcsError("ORCS5002", `${file} cannot be written: ${messageOf(thrown)}`, { file });
  }
}
