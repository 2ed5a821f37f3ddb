import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { isTrusted } from "../../core/trust.ts";
import { messageOf } from "../../core/errors.ts";
import type { Hook } from "../../core/hook.ts";
import { checkConfiguration } from "../../host/check/check.ts";
import type { ConfigPlace } from "../../host/config-place.ts";
import { addressIn, runtimeFolder, serviceKey } from "../address.ts";
import { usedBy } from "../install/used-by.ts";
import type { UsedPoint } from "../install/wanted-events.ts";
import { defaultStateDir } from "../state-file.ts";
import { note, problem } from "./report.ts";
import type { ConfigurationReport, Finding } from "./report.ts";
import { lookAtService } from "./service-look.ts";
import { trustFindings, vouchedAt } from "./trust-look.ts";

/** A configuration, and its hooks when it loads. */
export interface SeenConfiguration {
  readonly place: ConfigPlace;
  readonly report: ConfigurationReport;
  /** Those in force; undefined when it does not load. */
  readonly hooks: readonly Hook[] | undefined;
  /** The points of the hooks that are on; undefined when it does not load. */
  readonly used: readonly UsedPoint[] | undefined;
  /** Whether it has hooks that are not in force, for it was found and is not trusted. */
  readonly isHeld: boolean;
}

/**
 * Check a configuration as `orcs check` does, and what keeps it running. No hook runs.
 * @param cwd what places in messages are relative to
 */
export async function lookAtConfiguration(
  place: ConfigPlace,
  cwd: string,
): Promise<SeenConfiguration> {
  if (place.config === false) {
    return { place, report: NONE, hooks: [], used: [], isHeld: false };
  }
  const checked = await checkConfiguration({ config: place.config, cwd });
  const address = addressIn(runtimeFolder(), serviceKey(place));
  const { service, findings } = await lookAtService(address);
  const state = checked.settings && (checked.settings.paths.state ?? defaultStateDir(place));
  const hooks = checked.loaded;
  const vouched = vouchedAt(place);
  return {
    place,
    hooks,
    used: hooks && usedBy(hooks.filter(({ enabled }) => enabled)),
    isHeld: vouched !== undefined && !isTrusted(vouched),
    report: {
      file: fileOf(place),
      how: place.found === undefined ? "named" : "found",
      trust: vouched?.state ?? null,
      loads: hooks !== undefined,
      hooks: checked.hooks,
      diagnostics: checked.diagnostics,
      service,
      state: state ?? null,
      findings: [
        ...(vouched ? trustFindings(vouched) : []),
        ...findings,
        ...(state === undefined ? [] : stateFindings(state)),
      ],
    },
  };
}

const NONE: ConfigurationReport = {
  file: null,
  how: "none",
  trust: null,
  loads: true,
  hooks: 0,
  diagnostics: [],
  service: null,
  state: null,
  findings: [note("there is no orcs.toml here, so no hook runs", "orcs init writes one")],
};

function fileOf({ config, found }: ConfigPlace): string | null {
  return typeof config === "string" ? config : (found ?? null);
}

/** Whether state can be kept: in a folder that is there, or in one that can be made. */
function stateFindings(state: string): Finding[] {
  const text = (why: string): string => `orcs.state cannot be kept in ${state}: ${why}`;
  for (let folder = state; ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
      if (folder !== state) return [];
      break;
    } catch (thrown) {
      const isMissing = (thrown as NodeJS.ErrnoException).code === "ENOENT";
      if (!isMissing || dirname(folder) === folder) return [problem(text(messageOf(thrown)))];
    }
  }
  try {
    accessSync(join(state, "state.jsonl"), constants.R_OK | constants.W_OK);
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === "ENOENT";
    if (!isMissing) return [problem(text(messageOf(thrown)))];
  }
  return [];
}
