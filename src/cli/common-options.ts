import { Option } from "commander";

/** `--config FILE`, the same for all verbs. */
export function configOption(): Option {
  return new Option(
    "--config <file>",
    "read this orcs.toml alone; default: the user's, the project's and orcs.local.toml",
  );
}
