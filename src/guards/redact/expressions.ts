import { wordSet } from "../../core/index.ts";
import { isGeneratedName, isTellingName } from "./key-names.ts";

/** Source code in the place of a value: types, variables, calls, templates. */

/** A longer value is never a false positive by its looks: each value is read only once. */
export const MAX_INNOCENT = 200;

/** Words of languages and of configurations, in lower case. */
const WORDS = wordSet(`
  any yes write warn read on off no inherit error enabled disabled auto always array bool boolean false include int
  integer never nil none null number object omit optional required same-origin str string true undefined unknown void
  bytes text char varchar byte bytearray uint8array buffer securestring secretstr charsequence nsstring mixed hashed encrypted
  {} []
`);

/** Expressions in source code that look up a value by name. */
const OBJECTS =
  /^(?:args|cfg|config|configuration|conf|credentials|ctx|data|env|ENV|event|import|input|key|kwargs|match|node|opts|options|os|params|parsed|payload|process|props|req|request|res|response|result|secrets|self|session|settings|state|this|user|value|vars)[.[?!]/;
const PATH =
  /^[A-Za-z_$][\w$]*(?:\[[\w*]{0,40}\])?(?:[?!]?\.[A-Za-z_$#][\w$]*(?:\[[\w*]{0,40}\])?)+!?$/;
/** A member in C++, PHP and Ruby: `$this->token`, `::Engine.secret`. */
const MEMBER =
  /^[&*!@$]{0,2}(?:\w+(?:\(\))?(?:->|\?->|::\$?)|::[A-Z])[A-Za-z_](?:\?->|\?\.|::|[\w$.>()[\]{};,'"=<&\\-])*[?!]?$/;
/** A type of Rust or C++: `mio::Token`, `Vec<u8>`. */
const QUALIFIED =
  /^&?(?:[A-Za-z_]\w*::)+[A-Za-z_]\w*(?:<[\w\s:<>,&']*>)?$|^[A-Z]\w*<[\w\s:<>,&']+>$/;
/** Words that begin an expression or a statement. */
const EXPRESSIONS = wordSet(
  "async await break continue default else function if lambda local new not return throw typeof yield",
);
const CALL =
  /^(?:!{0,2}|\\|@(?=[a-z]+\())[A-Za-z_$][\w$]*(?:(?:\?\.|[.:]{1,2})[\w$]+|\[[^\]\s]{0,40}\])*[!?]?\(/;
const ELEMENT = /^!{0,2}[A-Za-z_$][\w$]*\[\w{1,40}\](?:[!;,)]*$|[;,)])/;
const TYPE = /^[A-Za-z_$][\w$.]*(?:\[|<|\||!$)/;
const SYNTAX: readonly RegExp[] = [
  // A composite literal: `Token{Line:`, `http.Cookie{`.
  /^&?[A-Z]\w*\{(?:$|\}|\w+:)|^&?\w+(?:\.|::)[\w.:]*\{/,
  // A function, a cast, a list of parameters: `()=>x`, `(0,`, `(new_password)`.
  /^\((?:\w+(?:,\w+)*)?\)=>|^[A-Za-z_$][\w$]{0,20}=>|^\(0,|^\([a-z]\w*\)$/i,
  // A regular expression, and a rule of a grammar.
  /^\(?\[\^|^\(\?[:=!<]|^\(?(?:\.|\\[wdsS])[+*]|^\\[KbB]|^\/\^?\[|^\d\*(?:<|[a-z]+$)/,
  // The opening bracket before a quotation mark.
  /^[A-Za-z_$][\w$.:>-]*[[(]$/,
  // Minified code: a variable of few letters, and what ends it.
  /^[A-Za-z_$][\w$]{0,2}(?:\}+(?:\)?[;,)\].]|[=;:]|else|catch)|[;,](?:else|if|for|return|this|var|let|const|value|function|[a-z]{1,2}[.(=]))/,
  /^!{1,2}[01]$|^(?:nil|null|None|true|false|undefined)\)?[).,;]/,
  /^@{1,2}[a-z_]+[?!]?$/,
  // A macro of Rust; a token of a parser with where it is: `IDENT@0..2`.
  /^[A-Z]\w*!\[|^[A-Z][A-Z0-9_]*@\d+\.\.\d+$/,
  // A field in a template of Go.
  /^\.[A-Z]\w*(?:\.\w+)*$/,
];

/** Whether a value is a word of a language or a configuration: `string`, `inherit`. */
export function isKeyword(value: string): boolean {
  return WORDS.has(value.replace(/^\$/, "").toLowerCase());
}

/** Whether a word is source code: a call, a property, the beginning of an expression. */
export function isCode(value: string): boolean {
  // Minified code has no end: its beginning tells.
  if (value.length > MAX_INNOCENT)
    return SYNTAX.some((form) => form.test(value.slice(0, MAX_INNOCENT)));
  if (EXPRESSIONS.has(/^[a-z]*/.exec(value)?.[0] ?? "") && /^[a-z]+(?:[;:]|$)/.test(value))
    return true;
  if (CALL.test(value) || ELEMENT.test(value) || OBJECTS.test(value)) return true;
  // Names have few digits.
  if ((MEMBER.test(value) || QUALIFIED.test(value)) && !/(?:\d\D*){4}/.test(value)) return true;
  if (SYNTAX.some((form) => form.test(value))) return true;
  const head = /^[^;,)}]*/.exec(value)?.[0] ?? "";
  const isWhole = head === value || /^[)}]*[;,)}]/.test(value.slice(head.length));
  return isWhole && PATH.test(head) && isTellingName(head);
}

/** Whether a word after `: ` or ` = ` is source code or prose. */
export function isWording(value: string): boolean {
  if (value.length > MAX_INNOCENT) return false;
  const word = /^[\w$-]*/.exec(value)?.[0] ?? "";
  if (isKeyword(word) && !/\w/.test(value.slice(word.length))) return true;
  const bare = value.replace(/[)};,]+:?[;,]*$/, "");
  if (bare !== value && bare !== "" && !bare.includes("(") && isWording(bare)) return true;
  // A property; a password of letters with a dot is rare.
  if (PATH.test(value.replace("?.", ".")) && !/\d/.test(value)) return true;
  if (isCode(value) || /^(?:[([{|>*]|&(?!\w{2,5};|#\d))|^![A-Za-z]+$/.test(value)) return true;
  if (TYPE.test(value) && !/\d/.test(value)) return true;
  // A path, a URL, a comment.
  if (/^(?:\+\+|--)[a-z_]|^(?:~|\.{0,2})\/|^[a-z]{2,12}:\/\//.test(value)) return true;
  return /^\d{1,3}$/.test(value) || !/[^A-Za-z'’-]/.test(value);
}

/** Whether several words that take the rest of a line are source code or prose. */
export function isWordingLine(value: string, words: readonly string[]): boolean {
  const [first = "", second = ""] = words;
  if (/[;,{([]\s*$|=>|[()]|\s(?:[=!]==?|&&|\|\||\?\?|\?|\+|=)(?:\s|$)/.test(value)) return true;
  if (first === "|" || first === ">" || first === "|-" || first === ">-") return true;
  if (words.length > 1) {
    if (/[.!?:]$/.test(value.trim()) || EXPRESSIONS.has(first)) return true;
    if (isKeyword(first) && /^(?:\/\/|\|)/.test(second)) return true;
    // A union of types.
    if (/^[\w.[\],\s'"]+(?:\s\|\s[\w.[\],\s'"]+)+$/.test(value.trim())) return true;
  }
  return !/^[A-Za-z]+$/.test(first) && isWording(first);
}

/** Several words written as one, without digits: `new_password`, `cookiesSlice`, `RequestsCookieJar`. */
const COMPOUND =
  /^[_$]{0,2}(?:[A-Za-z]+(?:_+[A-Za-z]+)+|[a-z]+(?:[A-Z][a-z]{2,})+[A-Z]?|(?:[A-Z][a-z]{2,}\d?){2,}[A-Z]*)[?!]?$/;
/** What the module of a bundle exports: `exports2.HEX`. */
const MEMBERS = /^[A-Za-z_]+\d?(?:\.[A-Za-z_]+\d?)+$/;
/** Properties with the names of their variables. */
const PROPERTIES = /^[A-Za-z_$]+(?:,[A-Za-z_$]+)+$/;
/** A variable or a type of few letters, as in generated code. */
const SHORT = /^(?:[A-Za-z_$][\w$]?|[A-Z][A-Za-z]?\d)$/;

/**
 * Where a value without quotes stands: "ended" when what follows ends it as an expression (`,`, `;`, a closing
 * bracket), "assigned" behind ` = `, "open" elsewhere: in YAML, in variables of the environment, in arguments, in logs.
 */
export type Place = "ended" | "assigned" | "open";

/** Whether a word is a variable or a type. */
export function isVariable(value: string, name: string, place: Place): boolean {
  if (value.length > MAX_INNOCENT) return false;
  const isEnded = place === "ended";
  if (isEnded && (SHORT.test(value) || (PATH.test(value) && !/\d/.test(value)))) return true;
  if (isGeneratedName(name) && (MEMBERS.test(value) || PROPERTIES.test(value))) return true;
  const variable = /^\$?(.*?)(?:\$\d)?$/s.exec(value)?.[1] ?? "";
  if (!/^[A-Za-z_]\w*$/.test(variable)) return false;
  // It names a secret, and so is none: `new_password`, `b64Pwd`.
  const isCodeLike = place !== "open" || isGeneratedName(name);
  if (isCodeLike && isTellingName(variable) && !/\d{3}/.test(variable) && !isOneWord(variable))
    return true;
  if (value.startsWith("$") && isTellingName(variable)) return true;
  if (!isGeneratedName(name)) return isEnded && COMPOUND.test(value);
  return COMPOUND.test(value) || (isEnded && /^[A-Za-z]{1,16}$/.test(value));
}

function isOneWord(value: string): boolean {
  return /^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(value);
}
