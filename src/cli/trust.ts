import { resolve } from "node:path";
import { Command, Option } from "commander";
import { isTrusted } from "../core/trust.ts";
import { OrcsError } from "../core/errors.ts";
import { realpath } from "../host/realpath.ts";
import { lookAt, projectAt, trust } from "../host/trust/look-at.ts";
import type { ProjectLook } from "../host/trust/look-at.ts";
import { TrustStore } from "../host/trust/trust-store.ts";
import { writeTrustLine } from "./audit/trust-line.ts";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT } from "./exit.ts";
import { seen } from "./seen.ts";
import { renderTable } from "./table.ts";
import { lookJson, lookText } from "./trust-text.ts";

interface TrustOptions {
  yes?: boolean;
  show?: boolean;
  revoke?: boolean;
  dev?: boolean;
  list?: boolean;
  json?: boolean;
}

/** `orcs trust`: show what a project's configuration would run, and let it. */
export function trustCommand(): Command {
  const one = (flags: string, says: string, others: string[]): Option =>
    new Option(flags, says).conflicts(others);
  return new Command("trust")
    .description(
      "let the hooks of a project run that was found: shows what they would do, and asks",
    )
    .argument("[dir]", "a folder of the project", ".")
    .addOption(one("-y, --yes", "do not ask", ["show", "list"]))
    .addOption(one("--show", "only show it; exit 1 when it is not trusted as it is", ["revoke"]))
    .addOption(one("--revoke", "trust it no more", ["dev"]))
    .addOption(one("--dev", "trust this folder whatever it holds, until revoked", ["show"]))
    .addOption(one("--list", "show every project that is trusted", ["show", "revoke", "dev"]))
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  orcs trust --show\n  orcs trust --yes ~/work/project")
    .action(runTrust);
}

async function runTrust(dir: string, options: TrustOptions): Promise<void> {
  const store = new TrustStore();
  if (options.list === true) return list(store, options);
  if (options.revoke === true) return revoke(dir, store, options);
  const look = await lookAt(dir, store);
  if (options.show === true) return show(look, options);
  if (look.vouched.state === "store") throw new OrcsError("ORCS8002", look.vouched.why);
  const isDev = options.dev === true;
  expectFit(look, isDev);
  if (options.yes !== true) expectSomebody(options);
  if (options.json !== true) process.stderr.write(`${lookText(look)}\n`);
  const { directory, digest } = look;
  if (options.yes !== true && !(await isWanted(look, isDev))) {
    await written("refused", directory, digest);
    process.stderr.write("Nothing was trusted.\n");
    process.exitCode = EXIT.findings;
    return;
  }
  await written(isDev ? "dev" : "granted", directory, isDev ? undefined : digest);
  trust(look, store, isDev);
  if (options.json === true) print({ ...lookJson(look), state: isDev ? "dev" : "trusted" });
  else process.stdout.write(`${isDev ? DEV : "trusted"}  ${seen(directory)}\n`);
}

const DEV = "trusted whatever it holds";

/** Nothing is trusted because nobody was there to say no. @throws OrcsError ORCS5001 */
function expectSomebody({ json }: TrustOptions): void {
  if (json !== true && canAsk()) return;
  throw new OrcsError("ORCS5001", "trust asks at a terminal, and there is none: say --yes");
}

function isWanted({ directory }: ProjectLook, isDev: boolean): Promise<boolean> {
  return confirm(
    isDev
      ? `Let whatever ${seen(directory)} will hold run as you, until revoked?`
      : "Let this run as it is now?",
  );
}

/** @throws OrcsError with what keeps it from being trusted as it is, or at all */
function expectFit({ mistakes, vouched }: ProjectLook, isDev: boolean): void {
  if (isDev) return;
  if (mistakes) throw mistakes;
  const { problems, directory } = vouched;
  if (problems.length === 0) return;
  const all = problems.map(({ code, message }) => `${code}: ${message}`).join("\n");
  throw new OrcsError("ORCS8001", `${seen(directory)} cannot be trusted as it is:\n${all}`);
}

function show(look: ProjectLook, { json }: TrustOptions): void {
  if (json === true) print(lookJson(look));
  else process.stdout.write(`${lookText(look)}\n`);
  if (!isTrusted(look.vouched)) process.exitCode = EXIT.findings;
}

async function revoke(dir: string, store: TrustStore, { json }: TrustOptions): Promise<void> {
  // Also of a folder that is gone, or whose configuration is; none of it is read.
  const itself = realpath(resolve(dir));
  const directory = store.get(itself) ? itself : (projectAt(dir) ?? itself);
  const was = store.get(directory) !== undefined;
  if (was) {
    await written("revoked", directory);
    store.set(directory, undefined);
  } else {
    process.exitCode = EXIT.findings;
  }
  if (json === true) return print({ ok: was, directory, state: "unknown" });
  const what = was ? "not trusted any more" : "was not trusted";
  process.stdout.write(`${what}  ${seen(directory)}\n`);
}

/** Written down before it is done. @throws OrcsError ORCS8005 when it must not be done for that */
async function written(
  action: Parameters<typeof writeTrustLine>[0]["action"],
  directory: string,
  digest?: string,
): Promise<void> {
  const refusal = await writeTrustLine({ action, directory, digest });
  if (refusal !== undefined && action !== "refused" && action !== "revoked") {
    throw new OrcsError("ORCS8005", refusal.replace(/^ORCS8005: /, ""));
  }
}

function list(store: TrustStore, { json }: TrustOptions): void {
  const all = [...store.all()].map(([directory, said]) => {
    const state = "dev" in said ? "dev" : "trusted";
    return { directory, state, at: said.at };
  });
  if (json === true) return print(all);
  const rows = all.map(({ directory, state, at }) => [state, seen(at), seen(directory)]);
  const text =
    rows.length === 0 ? "nothing is trusted" : renderTable(["", "since", "project"], rows);
  process.stdout.write(`${text}\n`);
}

function print(value: unknown): void {
  // What JSON leaves as it is, and a terminal does not.
  const text = JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
  process.stdout.write(`${text}\n`);
}

/** A character as JSON may have it, in the halves that JavaScript counts. */
function escaped(char: string): string {
  return char
    .split("")
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
