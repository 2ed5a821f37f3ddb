import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import type { Diagnostic } from "@codemirror/lint";
import { linter, lintGutter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "../../build/workbench/inspect/api.d.ts";
import { send } from "./api.ts";

// Loaded when a script is edited.

/** Milliseconds without typing before the text is checked. */
const CHECK_MS = 400;

const THEME = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px" },
  ".cm-content, .cm-gutters": { fontFamily: "var(--mono)" },
  ".cm-gutters": { background: "var(--side)", color: "var(--dim)", border: "none" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--blue-bg)" },
  ".cm-tooltip": { background: "var(--bg)", color: "var(--text)", border: "1px solid var(--line)" },
});

const COLORS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--dim)" },
  { tag: tags.keyword, color: "var(--blue)" },
  { tag: [tags.string, tags.number], color: "var(--green)" },
]);

/**
 * Edit Lua in an element. What `orcs check` finds is shown as it is typed.
 * @param changed called with the text after each change
 * @returns a function that removes it
 */
export function openEditor(
  host: Element,
  text: string,
  changed: (text: string) => void,
): () => void {
  // Its styles are objects of a shadow tree: the policy of the page allows none in the document.
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        StreamLanguage.define(lua),
        syntaxHighlighting(COLORS),
        THEME,
        lintGutter(),
        linter(async ({ state }) => problemsOf(state), { delay: CHECK_MS }),
        EditorView.contentAttributes.of({ "aria-label": "Script of the hook" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
  view.focus();
  return () => view.destroy();
}

async function problemsOf({ doc }: EditorState): Promise<Diagnostic[]> {
  const { problems } = await send<{ problems: Problem[] }>("check", { text: doc.toString() });
  return problems.map(({ message, severity, line = 1 }) => {
    const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return { from, to, message, severity };
  });
}
