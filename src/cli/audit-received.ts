import { expectCheckpoints, readCheckpoints, type VerifyReport } from "../records/index.ts";
import type { Json } from "../core/index.ts";
import type { ReceivedReport } from "../fleet/index.ts";
import { EXIT } from "./options.ts";
import { printJson } from "./output.ts";
import { counted, printable, renderTable } from "./table.ts";

/**
 * Verify what a receiver has stored, print the findings, and set the exit code.
 * @param how a file of checkpoints, each of which must be in one of the logs
 */
export async function reportReceived(
  path: string,
  { checkpoint, json }: { readonly checkpoint?: string; readonly json?: boolean },
): Promise<void> {
  if (checkpoint !== undefined) expectCheckpoints(checkpoint);
  const checkpoints = checkpoint === undefined ? [] : readCheckpoints(checkpoint);
  // Loaded for those who receive: most never do.
  const { verifyReceived } = await import("../fleet/index.ts");
  const report = verifyReceived(path, checkpoints);
  if (json === true) printJson({ path, checkpoints: checkpoints.length, ...report });
  else process.stdout.write(textOf(path, report));
  if (!report.ok) process.exitCode = EXIT.findings;
}

const COLUMNS = ["machine", "log", "lines", "again", "last line", "host", "bundle"];

function textOf(path: string, report: ReceivedReport): string {
  const { files, lines, logs, damage } = report;
  const table = logs.map(({ machine, log, last_time, status, ...counts }) => [
    machine?.slice(0, 8) ?? "",
    log?.slice(0, 8) ?? "",
    String(counts.lines),
    String(counts.duplicates),
    last_time ?? "",
    shown(status?.["host"]),
    bundleText(status?.["bundle"]),
  ]);
  return verifiedText(report, "everything received is intact", [
    `${path}: ${counted(lines, "line")} in ${counted(files, "file")}, of ${counted(logs.length, "log")}`,
    ...(logs.length > 0 ? renderTable(COLUMNS, table).split("\n") : []),
    ...damage.map(({ file, line, code, message }) => `${file}:${line}: ${code}: ${message}`),
  ]);
}

/** What was verified, how much more damage there is than these lines say, and a last word. */
export function verifiedText(
  {
    ok,
    damage,
    damage_count: count,
  }: Pick<VerifyReport, "ok" | "damage_count"> & { readonly damage: readonly unknown[] },
  intact: string,
  lines: readonly string[],
): string {
  const more = count - damage.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  const end = ok ? intact : `${counted(count, "place")} of damage`;
  return [...lines, ...rest, end].map((line) => `${printable(line)}\n`).join("");
}

function shown(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function bundleText(bundle: Json | undefined): string {
  if (typeof bundle !== "object" || bundle === null || Array.isArray(bundle)) return "";
  return `${shown(bundle["name"])} ${shown(bundle["revision"])}`;
}
