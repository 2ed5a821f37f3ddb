import { Command, InvalidArgumentError } from "commander";
import { join } from "node:path";
import { makeCheckpoint, writeCheckpoint } from "../audit/log/checkpoint.ts";
import { withFilter } from "./audit/line-filter.ts";
import { CHECKPOINTS } from "./audit/log-files.ts";
import { show } from "./audit/show.ts";
import { tail } from "./audit/tail.ts";
import { verify } from "./audit/verify.ts";
import { logDirectory } from "./audit/which-log.ts";
import type { LogChoice } from "./audit/which-log.ts";
import { configOption } from "./common-options.ts";
import { verbCommand } from "./verb-texts.ts";

/** `orcs audit`: look at what was written down, and whether it still is what was written. */
export function auditCommand(): Command {
  const audit = verbCommand("audit");
  for (const command of [verifyVerb(), showVerb(), tailVerb(), checkpointVerb()]) {
    audit.addCommand(command.exitOverride().showHelpAfterError("(see --help)"));
  }
  return audit;
}

function verifyVerb(): Command {
  return verb(
    "verify",
    "check the chain of lines: exit code 1 where it was changed, cut or mixed up",
  )
    .option("--checkpoint <file>", "hold it against these checkpoints; default: those beside it")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  orcs audit verify --checkpoint /mnt/elsewhere/orcs.jsonl")
    .action(async (options: LogChoice & Parameters<typeof verify>[1]) =>
      verify(await logDirectory(options), options),
    );
}

function showVerb(): Command {
  return withFilter(verb("show", "print its lines as a table"))
    .option("-n, --lines <number>", "the last so many of those, 0 for all", count, 100)
    .option("--json", "print one JSON line each")
    .addHelpText("after", "\nExample:\n  orcs audit show --since 2h --action abort")
    .action(async (options: LogChoice & Parameters<typeof show>[1]) =>
      show(await logDirectory(options), options),
    );
}

function tailVerb(): Command {
  return withFilter(verb("tail", "print its last lines, and with -f those that come"))
    .option("-n, --lines <number>", "how many are looked at", count, 10)
    .option("-f, --follow", "go on with each line that is written, until Ctrl-C")
    .option("--json", "print one JSON line each")
    .addHelpText("after", "\nExample:\n  orcs audit tail -f --failed")
    .action(async (options: LogChoice & Parameters<typeof tail>[1]) =>
      tail(await logDirectory(options), options),
    );
}

function checkpointVerb(): Command {
  return verb("checkpoint", "note where the log ends now, so that a tail cut off later is seen")
    .option("--out <file>", `add it to this file; default: ${CHECKPOINTS} beside the log`)
    .addHelpText(
      "after",
      "\nWho can cut the log can cut a file beside it: keep it elsewhere.\n\n" +
        "Example:\n  orcs audit checkpoint --out /mnt/elsewhere/orcs.jsonl",
    )
    .action(async (options: LogChoice & { readonly out?: string }) => {
      const dir = await logDirectory(options);
      const checkpoint = makeCheckpoint(dir);
      writeCheckpoint(options.out ?? join(dir, CHECKPOINTS), checkpoint);
      process.stdout.write(`${JSON.stringify(checkpoint)}\n`);
    });
}

function verb(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option("--dir <dir>", "the directory of the log; default: that of the configuration")
    .addOption(configOption());
}

function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 1_000_000) return number;
  throw new InvalidArgumentError("It must be a number from 0 to 1000000.");
}
