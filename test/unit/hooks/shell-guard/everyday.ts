import { casesIn } from "../cases.ts";

/** What developers type all day: none of it may be refused, nor asked about, at the default level. */
export const EVERYDAY: readonly string[] = casesIn("shell-guard-everyday");
