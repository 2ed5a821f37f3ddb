import { resolve } from "node:path";
import {
  effectTexts,
  OrcsError,
  orUndefined,
  type SourcePlace,
  subjectOf,
} from "../../core/index.ts";
import { effectReader } from "../../engine/index.ts";
import { fileText } from "../../machine/index.ts";
import { maskedText } from "../../guards/index.ts";
import type { SeenDispatch } from "../../daemon/index.ts";
import type { Detail } from "./api.ts";
import type { History } from "./history.ts";
import { rowOf } from "./rows.ts";
import { shownSource } from "./sets.ts";
import { shownUndo } from "./undo.ts";

/**
 * One dispatch as the page shows it.
 * @param directory where relative paths of sources start
 * @throws OrcsError ORCS5001 when it is not kept any more
 */
export async function detailOf(history: History, id: string, directory: string): Promise<Detail> {
  const dispatch = await wholeDispatch(history, id);
  const { verdict } = rowOf(dispatch, 0);
  const subject = subjectOf(dispatch.payload);
  const hooks = dispatch.hooks.map((step) => {
    const code = step.source && lineOf(step.source, directory);
    const place = step.source && { place: shownSource(step.source) };
    return { ...step, ...place, ...(code !== undefined && { code }) };
  });
  const { cwd } = dispatch.payload;
  const from = typeof cwd === "string" ? cwd : directory;
  const does = effectTexts(effectReader(from).ofCall(dispatch.payload), from);
  const undo = shownUndo(dispatch, directory);
  return {
    ...dispatch,
    verdict,
    ...(subject !== undefined && { subject }),
    ...(does.length > 0 && { does }),
    hooks,
    ...(undo && { undo }),
  };
}

/**
 * A dispatch of the list.
 * @throws OrcsError ORCS5001 when it is not kept any more
 */
export async function wholeDispatch(history: History, id: string): Promise<SeenDispatch> {
  const dispatch = await history.dispatch(id);
  if (dispatch) return dispatch;
  const why = "the service keeps calls that passed only while the page is open";
  throw new OrcsError("ORCS5001", `event ${id} is not kept any more: ${why}`, { id });
}

const MAX_SOURCE_BYTES = 2 ** 20;

/** The line of a source as it is now; undefined when it cannot be read. */
function lineOf({ file, line }: SourcePlace, directory: string): string | undefined {
  const whole = orUndefined(() => fileText(resolve(directory, file), MAX_SOURCE_BYTES));
  const text = whole?.split("\n")[line - 1]?.trim() ?? "";
  return text === "" ? undefined : maskedText(text);
}
