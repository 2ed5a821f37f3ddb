import { messageOf, OrcsError } from "../../core/errors.ts";
import type { TrustStanding } from "../../core/trust.ts";
import type { ConfigPlace } from "../../host/config-place.ts";
import { trustNotices } from "../../host/trust/notice.ts";
import { projectIn } from "../../host/trust/project.ts";
import { vouchFor } from "../../host/trust/vouch-for.ts";
import { TrustStore } from "../../host/trust/trust-store.ts";
import { note, problem } from "./report.ts";
import type { Finding } from "./report.ts";

/** What is said of a project; only where it stands, where the store or a copy in it cannot be used. */
type Standing = ReturnType<typeof vouchFor> | (TrustStanding & { readonly state: "store" });

/** What is said of a project's configuration; undefined for one that was named, or is the user's own. */
export function vouchedAt({ found, directory }: ConfigPlace): Standing | undefined {
  if (found === undefined) return undefined;
  const store = new TrustStore();
  try {
    return vouchFor(projectIn(directory, store.all()), store);
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    return { state: "store", why: thrown.message, directory };
  }
}

/** Why a project's hooks are not active, or not as they stand in its folder. */
export function trustFindings(vouched: Standing): Finding[] {
  const { state, why, directory } = vouched;
  switch (state) {
    case "trusted":
      return "differs" in vouched && vouched.differs.length > 0
        ? [note(trustNotices(vouched)[0]?.text ?? why, `orcs trust ${directory}`)]
        : [];
    case "dev":
      return [note("its hooks act as they are saved (dev)", `orcs trust --revoke ${directory}`)];
    case "unknown":
      return [problem(`none of its hooks is active: ${why}`, `orcs trust ${directory}`)];
    case "store":
      return [problem(`none of its hooks is active: ${why}`)];
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
