import { GrantBook } from "../auth/grants.ts";
import type { Settings } from "../config/settings.ts";
import { capabilityBits } from "../core/capabilities.ts";
import type { Authority } from "../core/permission.ts";

/** What calls may do whose caller has no authority of its own. */
export function ownAuthority({ capabilities, root, grants }: Settings["permissions"]): Authority {
  const authority = {
    capabilities: capabilityBits(capabilities),
    sandboxRoot: root,
    // Where nobody speaks of grants, commands need none.
    session: { id: "main", elevated: grants === undefined },
    grants: new GrantBook(),
  };
  for (const pattern of grants ?? []) authority.grants.add(pattern, "persistent");
  return authority;
}
