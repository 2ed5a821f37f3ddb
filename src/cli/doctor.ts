import { Command, Option } from "commander";
import { HOST_NAMES } from "../core/hosts.ts";
import type { HostName } from "../core/hosts.ts";
import { examine } from "../serve/doctor/doctor.ts";
import type { DoctorReport } from "../serve/doctor/report.ts";
import { configOption } from "./common-options.ts";
import { flatDiagnostic } from "./diagnostics-text.ts";
import { doctorText } from "./doctor-text.ts";
import { EXIT } from "./exit.ts";
import { installAround } from "./install-options.ts";
import { ownProgram } from "./own-program.ts";

interface DoctorVerbOptions {
  readonly host?: HostName;
  readonly config?: string;
  readonly json?: boolean;
}

/** `orcs doctor`: what stands between the events of hosts and the hooks. @param version of this orcs */
export function doctorCommand(version: string): Command {
  return new Command("doctor")
    .description(
      "look at hosts, their settings and the configuration: say why a hook would not run",
    )
    .addOption(
      new Option("--host <name>", "this host; default: all that are found").choices(HOST_NAMES),
    )
    .addOption(configOption())
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nIt sends the command of each entry a synthetic event, as the host would: the hooks run, on state that is\n" +
        "thrown away. Settings and state are not changed.\n\n" +
        "Exit code: 0 all is well, 1 findings, 2 mistakes in the configuration.",
    )
    .action(async ({ host, config, json }: DoctorVerbOptions) => {
      const report = await examine({
        ...installAround([ownProgram().script]),
        host,
        config,
        version,
      });
      process.exitCode = exitCode(report);
      process.stdout.write(
        json === true
          ? `${JSON.stringify(flat(report))}\n`
          : doctorText(report, process.env["HOME"]),
      );
    });
}

function exitCode({ ok, configurations }: DoctorReport): number {
  const isBroken = configurations.some(({ diagnostics }) =>
    diagnostics.some(({ severity }) => severity === "error"),
  );
  if (isBroken) return EXIT.mistake;
  return ok ? EXIT.fine : EXIT.findings;
}

function flat(report: DoctorReport) {
  const configurations = report.configurations.map(({ diagnostics, ...configuration }) => ({
    ...configuration,
    diagnostics: diagnostics.map(flatDiagnostic),
  }));
  return { ...report, configurations };
}
