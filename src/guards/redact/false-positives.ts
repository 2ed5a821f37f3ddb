import { MASK } from "../../core/index.ts";
import type { Place } from "./expressions.ts";
import { isCode, isKeyword, isVariable, MAX_INNOCENT } from "./expressions.ts";
import { isGeneratedName, isNameAlone, isTellingName, squeezed } from "./key-names.ts";
import { isLabel, isSentence } from "./labels.ts";

/** Whether a text refers to a secret and is not one: a variable, a placeholder. */
export function isReference(text: string): boolean {
  if (text.length > MAX_INNOCENT) return false;
  return text === MASK || REFERENCES.some((reference) => reference.test(text)) || isTemplate(text);
}

/** What a template puts in the place of an expression. */
const INSERTED =
  /\$\{\{[^{}]*\}\}|\{\{[^{}]*\}\}|[$#]\{[^{}]*\}|<%[^%]*%>|\{[a-z_][\w.]*(?:\(\))?\}/gi;
/** A text between two quotation marks of an expression is read to the first of them. */
const INSERTION_BEGINS = /(?:\$\{\{?|#\{|\{\{|<%|\$\().*$/s;
/** What may be beside it: the scheme of a header, the separators of several parts. */
const BESIDE = /^(?:\s|[^A-Za-z0-9]|bearer|basic|bot|digest|token|oauth|apikey|jwt){0,12}$/i;

const COOKIE_ATTRIBUTES =
  /;\s*(?:httponly|secure|partitioned|samesite=\w{3,6}|path=\/[\w/-]*|max-age=\d{1,10})(?![^;\s])/gi;

/** `${name}=${value}`, `Bearer {{ token }}`: there is nothing but what is inserted. */
function isTemplate(text: string): boolean {
  if (!/[({%]/.test(text)) return false;
  const rest = text.replaceAll(INSERTED, "\0").replace(INSERTION_BEGINS, "\0");
  return rest.includes("\0") && BESIDE.test(rest.replaceAll(COOKIE_ATTRIBUTES, ""));
}

const REFERENCES: readonly RegExp[] = [
  /^(?:\\?\$\{[^{}]*\}){1,4}$/,
  /^\$\{[\w.[\]]*$/,
  /^\$env:\w+$/i,
  /^%[-+#.\w]{0,3}[@a-zA-Z](?:\\n)?$/,
  /^\$\$?\([^()]*\)$/,
  /^\$[A-Za-z-]+\$$/,
  /^\$[A-Z_][A-Z0-9_]*$/,
  /^\$[a-z]\w*(?:->[a-z]\w*)+$/,
  /^\{?\$\w+\}?:\{?\$\w+\}?$/,
  /^%[A-Za-z_]\w*%$/,
  /^\{\{[^{}]*\}\}$/,
  /^\{\}$/,
  /^\$\{\{[^{}]*\}\}$/,
  /^\{[a-z_][\w.]*(?:\(\))?\}$/,
  // A constant with such a name.
  /^[A-Z][A-Z_]*_(?:TOKEN|KEY|PASSWORD|PASS|SECRET|CREDENTIALS)$/,
  /^(?:NAME|KEY|TOKEN|SECRET|PASSWORD)=(?:VALUE|TOKEN|SECRET|PASSWORD)$/,
  // A secret that is masked already.
  /^[^\w\s]{0,3}(?:REDACTED|redacted|Redacted|FILTERED|MASKED|masked|HIDDEN|hidden|REMOVED|removed)[^\w\s]{0,3}$/,
  /^(?:[*•●]{3,})\w{0,4}$/,
  // Shortened, to show what it looks like.
  /^[\w-]{0,20}(?:\.{3}|…)$/,
  /^(?:YOUR[_-])?(?:API[_-]?|ACCESS[_-]?)?(?:TOKEN|KEY|PASSWORD|SECRET)$/,
  // The version of a package with such a name.
  /^(?:[~^]|>=)?\d{1,4}\.\d{1,4}\.\d{1,4}$|^[~^]\d{1,4}(?:\.\d{1,4})?$/,
  // Where a store of secrets keeps it.
  /^projects\/[\w-]{1,64}\/secrets\/[\w-]{1,64}(?:\/versions\/\w{1,16})?$/,
  /^arn:aws[a-z-]{0,16}:(?:secretsmanager|ssm|kms|iam):[\w:/+=,.@-]+$/,
  // A public key of age.
  /^age1[02-9ac-hj-np-z]{50,}$/,
  // One letter many times, as in a text that shows what a token looks like.
  /^(?:[A-Za-z]{2,8}[-_]){1,2}(.)\1{4,}$/,
  // An address on a block chain.
  /^0x[0-9a-fA-F]{40}$/,
  /^<[A-Z_ ]+$/,
  /^<[A-Za-z.…][A-Za-z _.,'’/…-]*>$/,
  /^\[[A-Za-z][A-Za-z _.-]*\]$/,
  /^(?:\*+|•+|x{3,}|X{3,}|\.{2,}|…)$/,
];

/** Whether a quoted value under a telltale name is not a secret. */
export function isInnocentQuoted(value: string, name: string): boolean {
  if (value.length > MAX_INNOCENT)
    return isSentence(value.slice(0, value.lastIndexOf(" ", MAX_INNOCENT)), name);
  if (value.trim() === "" || isReference(value) || isKeyword(value)) return true;
  return (
    isPlace(value, name) ||
    isNameOfSecret(value, name) ||
    isExample(value, name) ||
    isLabel(value, name) ||
    isCommand(value, name) ||
    isNameOfKey(value, name) ||
    // How a cookie is set: `cookie: "lax"`.
    (/cookies?$/i.test(name) && /^(?:lax|strict)$/i.test(value))
  );
}

/** Words that say that a value only stands for a secret, and words that may be beside them. */
const EXAMPLE_WORDS =
  /^(?:test|fake|mock|mocked|dummy|example|sample|placeholder|your|xxx+|changeme|stub|foo|bar|here|the|my|a|an|some|api|access|refresh|auth|bearer|client|id|secret|token|key|password|pass|credential|credentials|value|user|new|old|stale|expired|invalid|valid|insert|enter|paste|put|replace|with|this|needed|no|not)$/;
const EXAMPLE_MARK =
  /(?:^|[-_ ])(?:test|fake|mock|mocked|dummy|example|sample|placeholder|your|some|new)(?:[-_ ]|$)/;

/** Words that leave no doubt that the text only stands for a secret. */
const STAND_IN =
  /(?:^|[-_ ])(?:your|example|placeholder|dummy|fake|changeme|insert|replace)(?:[-_ ]|$)/;

/** `token=test`: people choose such passwords, but no program makes such tokens. */
export function isStandIn(value: string, name: string): boolean {
  return isGeneratedName(name) && /^(?:test|fake|mock|stub|invalid|expired|abcdef)$/.test(value);
}

/** `your-api-key-here`, `test_token`: several words that all belong to a placeholder. */
function isExample(value: string, name: string): boolean {
  const text = value.toLowerCase();
  const words = text.split(/[-_ ]+/);
  if (words.length < 2) {
    return isStandIn(text, name) || /^(?:placeholder|example|sample|dummy)$/.test(text);
  }
  if (
    words[0] === "my" &&
    !/pass|pwd/i.test(name) &&
    isTellingName(text) &&
    words.every((word) => /^[a-z]+$/.test(word))
  )
    return true;
  if (STAND_IN.test(text) && words.every((word) => /^[a-z]{2,16}$/.test(word))) return true;
  return EXAMPLE_MARK.test(text) && words.every((word) => EXAMPLE_WORDS.test(word));
}

/** Several words, one of which may be a part of a namespace: `my-api-key`, `workos:resolved-token`, `autoLogin`. */
const WORDS_JOINED =
  /^(?!(?:sk|pk|rk|ak|pat|tok|gh[a-z]|xox[a-z]|glpat)[-_])[A-Za-z]{2,}(?:[-_.:][A-Za-z]{2,}){1,6}$|^(?:[a-z]{2,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,}){1,6}$/;

/** Where a token is, or is made: a name, a variable, a file, an address. */
const PLACES: readonly RegExp[] = [
  /^(?:urn:|\.{1,2}\/)[A-Za-z:/._-]+$/,
  /^\$[A-Za-z_]+$/,
  /^\/?(?:[A-Za-z_.-]+\/)+[A-Za-z_.-]+\.[a-z]{2,5}$/,
  /^https?:\/\/[a-z.-]+(?:\/[a-z0-9_.-]{0,16})*$/,
];

/** `API_KEY = "api_key"`, the path of an endpoint, a name where a token would be. */
function isNameOfSecret(value: string, name: string): boolean {
  if (/^\/(?:[a-z0-9_{}-]{1,24}\/){1,8}[a-z_{}-]{1,40}$/.test(value)) return true;
  // A picture.
  if (!/[\p{L}\p{N}\x21-\x7e]/u.test(value)) return true;
  if (isGeneratedName(name)) {
    // A token has digits, or is a single run of letters.
    if (
      /^__[a-z]+(?:_[a-z]+)*__$/.test(value) ||
      WORDS_JOINED.test(value) ||
      !/[\p{L}\p{N}]/u.test(value)
    )
      return true;
    if (PLACES.some((place) => place.test(value))) return true;
  }
  // An object of Kubernetes.
  if (/secret$/i.test(name) && /^[a-z]+(?:-[a-z]+)*-(?:secrets?|tls|credentials|auth)$/.test(value))
    return true;
  if (/^[A-Za-z]+$/.test(value))
    return squeezed(name).endsWith(value.toLowerCase()) && isTellingName(value);
  if (!/^[A-Za-z]+(?:[_-][A-Za-z]+)+$/.test(value)) return false;
  return squeezed(name).endsWith(squeezed(value)) || isNameAlone(value);
}

/** Under `token`, a word of a protocol or of a language: `GET`. */
function isCommand(value: string, name: string): boolean {
  return /^["']?token$/i.test(name) && /^[A-Z]{2,16}(?:[ _][A-Z]{2,16}){0,3}$/.test(value);
}

/** `shared-key: build` of a cache, and `accesskey="s"` of HTML. */
function isNameOfKey(value: string, name: string): boolean {
  if (/^access-?key$/i.test(name) && value.length === 1) return true;
  return (
    /(?<!pre[ _-]?)shared[ _-]?key$/i.test(name) &&
    /^(?:[a-z][a-z0-9]*|\$\{\{[^{}]*\}\})(?:[-_.](?:[a-z0-9]{1,12}|\$\{\{[^{}]*\}\})){0,8}$/i.test(
      value,
    ) &&
    !/\d[a-z]{1,4}\d|\d{5}/i.test(value)
  );
}

/** Whether an unquoted value after a telltale name is not a secret. */
export function isInnocentBare(value: string, name: string, place: Place): boolean {
  if (isInnocentQuoted(value, name) || isKeyword(value.replace(/[):;,]+$/, ""))) return true;
  if (value.length < 2 || squeezed(value) === squeezed(name)) return true;
  if (/^0x[0-9a-f]{1,8}$/i.test(value) && name.endsWith("PASS")) return true;
  if (/^\d{1,3}$/.test(value) && isGeneratedName(name)) return true;
  if (/^pass$/i.test(name) && /^\d{1,3}\.\d{1,4}%?$/.test(value)) return true;
  return isCode(value) || isVariable(value, name, place);
}

/** `pwd` is also the working directory. */
function isPlace(value: string, name: string): boolean {
  if (
    /credentials$/i.test(name) &&
    /^(?:\/|~\/|\.{1,2}\/|[A-Za-z]:\\)[^\s:]*\.\w{1,8}$/.test(value)
  )
    return true;
  return /pwd$/i.test(name) && /^(?:\/|~|\.{1,2}(?:\/|$)|[A-Za-z]:[\\/])/.test(value);
}
