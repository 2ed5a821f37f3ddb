import { defaultUserDir, realpath } from "../machine/index.ts";
import { OrcsError, type TrustState } from "../core/index.ts";
import { expectTrustable, inspectProject, projectIn, trust, TrustStore } from "../config/index.ts";
import { requireTrustLine } from "./audit-trust.ts";

/** Checked first: nothing must be written if the trust store cannot be used. @throws OrcsError ORCS8002 */
export function expectStore(): void {
  new TrustStore().all();
}

/** Whether to ask: the folder's hooks would not be active when saved, and could be. */
export function mayTrust(dir: string): boolean {
  if (isUsersOwn(dir)) return false;
  try {
    const { decision } = projectIn(realpath(dir), new TrustStore().all());
    return decision === undefined || !("dev" in decision);
  } catch {
    return false;
  }
}

/**
 * Trust a newly written project (dev trust), if requested.
 * @returns its trust state after that
 * @throws OrcsError ORCS8002, ORCS8005
 */
export async function settleTrust(dir: string, isDev: boolean): Promise<TrustState> {
  if (isUsersOwn(dir)) return "trusted";
  const store = new TrustStore();
  if (!isDev) return stateOf(dir, store);
  const look = await inspectProject(dir, store);
  const { directory } = look;
  expectTrustable(look, store, true);
  await requireTrustLine({ action: "dev", directory });
  trust(look, store, true);
  return "dev";
}

/** The written files stay, even when the trust state is unknown. */
async function stateOf(dir: string, store: TrustStore): Promise<TrustState> {
  try {
    return (await inspectProject(dir, store)).standing.state;
  } catch (thrown) {
    if (thrown instanceof OrcsError && thrown.code === "ORCS8002") return "store";
    throw thrown;
  }
}

/** The user's own folder needs no trust. */
function isUsersOwn(dir: string): boolean {
  return realpath(dir) === realpath(defaultUserDir());
}
