import { OrcsError } from "../../core/index.ts";
import type { EditedScript } from "../../engine/index.ts";
import type { SeenDispatch } from "../../daemon/index.ts";
import { detailOf, wholeDispatch } from "./detail.ts";
import type { History } from "./history.ts";
import { numbersOf } from "./numbers.ts";
import type { ApiCall, ApiRoutes } from "./page-server.ts";
import { isPast } from "./past.ts";
import type { Questions } from "./questions.ts";
import { checkText, type InspectedPlace, replayOne, saveTest, scriptOf } from "./replay-one.ts";
import { activeSets } from "./sets.ts";
import { type RecordUndo, restoreCall, showUndoCode } from "./undo.ts";

/** Days of the numbers, at most. */
const MOST_DAYS = 90;

/** What the routes about a configuration need. */
export interface PlaceDeps {
  readonly history: History;
  readonly place: InspectedPlace;
  /** Finds the folder of the audit log. */
  readonly auditDir: () => Promise<string>;
  readonly questions: Questions;
  readonly recordUndo: RecordUndo;
}

/** The routes about a configuration. Nothing here changes which hooks are active. */
export function placeRoutes(deps: PlaceDeps): ApiRoutes {
  const { history, place, auditDir, questions, recordUndo: record } = deps;
  const { directory } = place;
  return {
    "GET /api/script": ({ query }) => scriptOf(query.get("source") ?? "", place),
    "POST /api/check": async ({ body }) => ({
      problems: await checkText("edited.lua", textIn(body, "text")),
    }),
    "POST /api/replay": async ({ body }) =>
      replayOne(await dispatchIn(history, body), place, await editedIn(body, place)),
    "POST /api/save-test": async ({ body }) => {
      const { hook } = body;
      return saveTest(
        await dispatchIn(history, body),
        place,
        typeof hook === "string" ? hook : undefined,
      );
    },
    "GET /api/questions": () => questions.list(),
    "POST /api/questions/code": ({ body }) => {
      questions.showCode(textIn(body, "id"));
      return questions.list();
    },
    "POST /api/questions/deny": ({ body }) => {
      questions.deny(textIn(body, "id"));
      return questions.list();
    },
    "POST /api/questions/approve": async ({ body }) => {
      await questions.approve(textIn(body, "id"), textIn(body, "code"));
      return questions.list();
    },
    "POST /api/undo/code": async ({ body }) => {
      const id = textIn(body, "id");
      showUndoCode(await wholeDispatch(history, id), directory, questions);
      return detailOf(history, id, directory);
    },
    "POST /api/undo/restore": async ({ body }) => {
      const [id, code] = [textIn(body, "id"), textIn(body, "code")];
      const dispatch = await wholeDispatch(history, id);
      await restoreCall(dispatch, directory, code, { questions, record });
      return detailOf(history, id, directory);
    },
    "GET /api/sets": () => activeSets(place),
    "GET /api/numbers": async ({ query }) => {
      const days = Math.min(MOST_DAYS, Math.max(1, Number(query.get("days")) || 14));
      return numbersOf(await auditDir(), days);
    },
  };
}

async function dispatchIn(history: History, body: ApiCall["body"]): Promise<SeenDispatch> {
  const dispatch = await wholeDispatch(history, textIn(body, "id"));
  if (!isPast(dispatch)) return dispatch;
  const why = "this event is from the audit log, which does not have its payload";
  throw new OrcsError("ORCS5001", `${why}: have the agent do it again while the page is open`);
}

/** The edited script of a request; only a script of the configuration can be replaced. */
async function editedIn(
  { edited }: ApiCall["body"],
  place: InspectedPlace,
): Promise<EditedScript | undefined> {
  if (edited === undefined) return undefined;
  const { source, text } = edited as { readonly source?: unknown; readonly text?: unknown };
  if (typeof source !== "string" || typeof text !== "string") {
    throw new OrcsError("ORCS5001", "edited must be { source, text }");
  }
  const { file } = await scriptOf(source, place);
  return { file, text };
}

function textIn(body: ApiCall["body"], key: string): string {
  const text = body[key];
  if (typeof text === "string") return text;
  throw new OrcsError("ORCS5001", `${key} must be a string`);
}
