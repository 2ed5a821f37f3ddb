import { OrcsError } from "../core/errors.ts";
import { HOST_NAMES } from "../core/hosts.ts";
import { userStateDir } from "../host/config-directory.ts";
import { newToken, readHttpPlace, userHttpFile, writeHttpPlace } from "../serve/http-place.ts";
import { TOKEN_VARIABLE } from "../serve/install/host-settings.ts";
import { planToken } from "../serve/install/plan-token.ts";
import { settingsPath } from "../serve/install/host-settings.ts";
import { installAround } from "./install-options.ts";
import { ownProgram } from "./own-program.ts";
import { settlePlans } from "./settings-plans.ts";

interface RotateOptions {
  /** Ask nothing. */
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * Make another token for the HTTP side of this user, and write it into the settings that hold the one before.
 * @throws OrcsError ORCS5002 where nothing was installed with HTTP, ORCS7004
 */
export async function rotateToken({ yes = false, json = false }: RotateOptions): Promise<void> {
  const file = userHttpFile(userStateDir());
  const before = readHttpPlace(file);
  if (before === undefined) {
    const why = `${file} holds no token: nothing was installed with --transport http`;
    throw new OrcsError("ORCS5002", why, { path: file });
  }
  const token = newToken();
  const around = installAround([ownProgram().script]);
  const plans = HOST_NAMES.flatMap((host) => {
    const path = settingsPath(host, "user", around.place);
    return planToken({ host, scope: "user", path }, around, token) ?? [];
  });
  // First the settings: a token that nobody sends would deny every call.
  if (!(await settlePlans(plans, { records: around.records, yes, json }))) return;
  writeHttpPlace(file, { ...before, token });
  process.stderr.write(
    `The token is another one now (${file}). Agents that are running still send the one before: what they ask over ` +
      "HTTP is denied until they are started again.\n",
  );
  if (plans.length > 0) return;
  process.stderr.write(`No settings hold it: have ${TOKEN_VARIABLE} set to the new one.\n`);
}
