import { join } from "node:path";
import { CONFIG_NAME } from "../../config/found-files.ts";
import { isTrusted } from "../../core/trust.ts";
import type { Vouched } from "../../config/vouch.ts";
import { shownPath } from "./shown-path.ts";

/** Something to be told once to whoever works with an engine. */
export interface Notice {
  /** One line, for people and models: nothing of what a project holds stands in it. */
  readonly text: string;
  /** The same for as long as it is the same thing that is told. */
  readonly key: string;
}

/** A project of which something is to be told. */
type Told = Pick<Vouched, "directory" | "digest">;

/**
 * What is to be told of trust, if anything.
 * @param changed a project whose hooks are in force as they were trusted, with the digest of what it has become
 * @param inForce what was said of the project when it was loaded last
 */
export function trustNotice(
  changed: Told | undefined,
  inForce: Vouched | undefined,
): Notice | undefined {
  if (changed)
    return notice("changed", changed, "stay as they were trusted, for they have changed since");
  if (!inForce || isTrusted(inForce)) return undefined;
  return notice(inForce.state, inForce, `are not in force: ${REASONS[inForce.state]}`);
}

function notice(what: string, { directory, digest = "" }: Told, says: string): Notice {
  const where = shownPath(directory);
  return {
    text: `the hooks of ${where} ${says}; see: orcs trust ${where}`,
    key: `${what} ${directory} ${digest}`,
  };
}

const REASONS: Record<Vouched["state"], string> = {
  trusted: "",
  dev: "",
  unknown: "nobody has trusted them",
  changed: "they have changed since they were trusted",
  unfit: "they cannot be trusted as they are",
  store: "the trust store cannot be used",
};

/** What a log says of a project when it is loaded: nothing of one that is as it was trusted. */
export function trustWarning(vouched: Vouched | undefined): string | undefined {
  if (!vouched || vouched.state === "trusted") return undefined;
  const { state, why } = vouched;
  const where = shownPath(vouched.directory);
  const file = shownPath(join(vouched.directory, CONFIG_NAME));
  if (state === "dev") {
    return `${where} is trusted whatever it holds (dev), until: orcs trust --revoke ${where}`;
  }
  return `ORCS8001: nothing of ${file}, which was found, is in force: ${why}; see: orcs trust ${where}`;
}

/** What became of a project whose configuration is not found any more, but perhaps another. */
export function replacedText(by: string | undefined): string {
  if (by === undefined) return "its configuration is gone";
  return `that of ${shownPath(by)} is found in its place, and nobody has trusted it`;
}

/** Why the last good hooks of a project stay. */
export function changedText({ directory, why }: Pick<Vouched, "directory" | "why">): string {
  const where = shownPath(directory);
  return `${where}: ${why}; see: orcs trust ${where}`;
}
