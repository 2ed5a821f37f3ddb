import { messageOf } from "../../core/errors.ts";
import type { TrustStanding } from "../../core/trust.ts";
import type { ConfigPlace } from "../../host/config-directory.ts";
import { lookAt } from "../../host/trust/look-at.ts";
import { TrustStore } from "../../host/trust/trust-store.ts";
import { note, problem } from "./report.ts";
import type { Finding } from "./report.ts";

/** What is said of a project's configuration; undefined for one that was named, or is the user's own. */
export async function vouchedAt({
  found,
  directory,
}: ConfigPlace): Promise<TrustStanding | undefined> {
  if (found === undefined) return undefined;
  return (await lookAt(directory, new TrustStore())).vouched;
}

/** Why a project's hooks are not in force, or that they are whatever they become. */
export function trustFindings({ state, why, directory }: TrustStanding): Finding[] {
  switch (state) {
    case "trusted":
      return [];
    case "dev":
      return [note("its hooks act as they are saved (dev)", `orcs trust --revoke ${directory}`)];
    case "unknown":
    case "changed":
      return [problem(`none of its hooks is in force: ${why}`, `orcs trust ${directory}`)];
    case "unfit":
      return [problem(`none of its hooks is in force: it cannot be trusted as it is: ${why}`)];
    case "store":
      return [problem(`none of its hooks is in force: ${why}`)];
  }
}

/** Why the store of trust cannot be used, where no project's configuration says so already. */
export function storeFindings(isTold: boolean): Finding[] {
  if (isTold) return [];
  try {
    new TrustStore().all();
    return [];
  } catch (thrown) {
    return [problem(messageOf(thrown))];
  }
}
