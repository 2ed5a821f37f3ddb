import { ACCESS } from "./table-access.ts";
import { CARRIERS } from "./table-carriers.ts";
import { CONNECTIONS } from "./table-connections.ts";
import { DETAILS } from "./table-details.ts";
import { EDGES } from "./table-edges.ts";
import { HARMLESS } from "./table-harmless.ts";
import { INDIRECT } from "./table-indirect.ts";
import { INPUTS } from "./table-inputs.ts";
import { MACHINE } from "./table-machine.ts";
import { PLACES } from "./table-places.ts";
import { REVIEW } from "./table-review.ts";
import { RULES } from "./table-rules.ts";
import { SCRIPTS } from "./table-scripts.ts";
import { SHELLS } from "./table-shells.ts";
import { SPELLINGS } from "./table-spellings.ts";
import { VALUES } from "./table-values.ts";
import { WAYS } from "./table-ways.ts";
import { WINDOWS } from "./table-windows.ts";
import { WORDS } from "./table-words.ts";
import { rowsOf } from "./rows.ts";
import type { Row } from "./rows.ts";

/** Command lines with their verdicts, grouped by trick; they are judged in /work/project. */
export const TABLE: readonly Row[] = rowsOf([
  ...WORDS,
  ...WAYS,
  ...PLACES,
  ...SPELLINGS,
  ...HARMLESS,
  ...SCRIPTS,
  ...INDIRECT,
  ...WINDOWS,
  ...REVIEW,
  ...RULES,
  ...CARRIERS,
  ...INPUTS,
  ...SHELLS,
  ...EDGES,
  ...VALUES,
  ...CONNECTIONS,
  ...DETAILS,
  ...MACHINE,
  ...ACCESS,
]);
