import { join } from "node:path";
import { CONFIG_NAME, exists } from "../discover.ts";
import { PROJECT_FILES } from "../layers.ts";
import type { BundleStanding } from "../bundle-layer.ts";
import type { TrustedFiles } from "../found-project.ts";
import { shownPath } from "../../machine/index.ts";
import { namesText } from "./evaluate-trust.ts";

/** Something to report once to the user of an engine. */
export interface Notice {
  /** One line, for people and models. It contains no text from a project. */
  readonly text: string;
  /** Stays the same as long as the same thing is reported. */
  readonly key: string;
  /** Whether it is about the bundle, and says nothing of a project. */
  readonly isOfBundle?: true;
  /** Whether guards are inactive: an agent that surely shows it nowhere is denied tool calls. */
  readonly isInactive?: true;
}

/** Notices about the trust of a project. */
export function trustNotices(projectTrust: TrustedFiles | undefined): Notice[] {
  if (!projectTrust) return [];
  const { directory, state, differs, at, digest, nearer } = projectTrust;
  const notices: Notice[] = [];
  if (state === "trusted" && differs.length > 0) {
    const where = shownPath(directory);
    const day = at?.slice(0, 10);
    const text = `the hooks of ${where} are active as you trusted them on ${day}; changed since then: ${namesText(differs)}; see: orcs trust ${where}`;
    notices.push({ text, key: `differs ${directory} ${digest} ${differs.join("\n")}` });
  }
  if (state === "unknown") notices.push(unknownNotice(directory));
  if (state === "dev" && !PROJECT_FILES.some((name) => exists(join(directory, name)))) {
    const text = `${shownPath(directory)} is dev-trusted but no longer has a configuration: none of its hooks are active`;
    notices.push({ text, key: `empty ${directory}`, isInactive: true });
  }
  if (state === "store") {
    const text = `the hooks of ${shownPath(directory)} are inactive: ${projectTrust.why}`;
    notices.push({ text, key: `store ${directory}`, isInactive: true });
  }
  if (nearer !== undefined) notices.push(unknownNotice(nearer));
  return notices;
}

/** Notices about a bundle that the user's configuration or the machine's names and that is not active. */
export function bundleNotices(bundle: BundleStanding | undefined): Notice[] {
  if (bundle?.problem === undefined) return [];
  // Times in the message differ at each start.
  const [code = ""] = bundle.problem.split(":", 1);
  return [{ text: bundleText(bundle), key: `bundle ${code}`, isOfBundle: true, isInactive: true }];
}

/** The reason why nothing of a bundle is active. */
export function bundleText({ problem, isEnforced }: BundleStanding): string {
  const whose = isEnforced ? "that this machine enforces" : "of your configuration";
  return `the bundle ${whose} is not active: ${problem ?? ""}`;
}

/** The notice that a folder's configuration is not trusted. */
export function unknownNotice(directory: string): Notice {
  const where = shownPath(directory);
  return {
    text: `the hooks of ${where} are inactive because they are not trusted; see: orcs trust ${where}`,
    key: `unknown ${directory}`,
    isInactive: true,
  };
}

/** Warnings for the log when a project is loaded; none when its content is as trusted. */
export function trustWarnings(projectTrust: TrustedFiles | undefined): string[] {
  if (!projectTrust) return [];
  const { state, directory } = projectTrust;
  const where = shownPath(directory);
  const notices = trustNotices(projectTrust).map(({ text }) => `ORCS8001: ${text}`);
  if (state !== "dev") return notices;
  return [
    `${where} is dev-trusted: every saved change is active at once; to end this, run: orcs trust --revoke ${where}`,
    ...notices,
  ];
}

/** The reason why nothing of a project's configuration is active. */
export function untrustedText({ directory, why }: Pick<TrustedFiles, "directory" | "why">): string {
  const file = shownPath(join(directory, CONFIG_NAME));
  return `${file} is inactive: ${why}; see: orcs trust ${shownPath(directory)}`;
}
