/**
 * Flags of programs, by program and subcommand: which spellings are the same flag, and which take a value. Each is
 * `letter=long`, with `:` for `=` when a value follows; either side may be missing. `a,b` are two flags that a letter
 * stands for, `a|b` two names of one flag. Unlisted flags are parsed as well, but then a letter has no long form, and
 * the word after a flag may or may not be its value.
 */
export const RUNS_FLAGS: Readonly<Record<string, string>> = {
  // Before the subcommand.
  git:
    "C: c: p=paginate P=no-pager v=version h=help :git-dir :work-tree :namespace :super-prefix " +
    ":config-env :attr-source =exec-path =bare =no-replace-objects =no-lazy-fetch =no-optional-locks " +
    "=literal-pathspecs =glob-pathspecs =noglob-pathspecs =icase-pathspecs =html-path =man-path =info-path",
  "git add":
    "f=force A=all|no-ignore-removal u=update n=dry-run p=patch i=interactive v=verbose e=edit N=intent-to-add",
  "git branch":
    "d=delete D=delete,force m=move M=move,force c=copy C=copy,force f=force r=remotes a=all l=list " +
    "u:set-upstream-to t=track v=verbose q=quiet",
  "git checkout":
    "f=force b: B: q=quiet t=track d=detach p=patch m=merge l= 2=ours 3=theirs :orphan :conflict",
  "git clean": "f=force d= x= X= n=dry-run i=interactive q=quiet e:exclude",
  "git clone":
    "b:branch o:origin u:upload-pack c:config j:jobs n=no-checkout q=quiet v=verbose l=local s=shared :depth",
  "git commit":
    "a=all m:message F:file C:reuse-message c:reedit-message t:template n=no-verify e=edit s=signoff " +
    "q=quiet v=verbose p=patch o=only i=include z=null :author :date :fixup :squash :trailer :cleanup " +
    "=amend =no-edit =allow-empty",
  "git fetch":
    "a=append f=force p=prune P=prune-tags t=tags n=no-tags j:jobs q=quiet v=verbose k=keep u=update-head-ok :depth",
  "git merge": "m:message F:file s:strategy X:strategy-option n=no-stat q=quiet v=verbose",
  "git mv": "f=force k= n=dry-run v=verbose",
  "git pull": "r=rebase f=force n=no-stat s:strategy X:strategy-option q=quiet v=verbose",
  "git push":
    "f=force d=delete n=dry-run u=set-upstream q=quiet v=verbose 4=ipv4 6=ipv6 o:push-option :repo " +
    ":receive-pack :exec =force-with-lease =force-if-includes =no-force =all|branches =mirror =tags =follow-tags " +
    "=prune =atomic =no-verify",
  "git rebase":
    "i=interactive f=force-rebase|no-ff x:exec s:strategy X:strategy-option q=quiet v=verbose :onto",
  "git reset": "q=quiet p=patch N=intent-to-add =hard =soft =mixed =merge =keep",
  "git restore": "s:source S=staged W=worktree p=patch q=quiet m=merge 2=ours 3=theirs",
  "git rm": "r= f=force n=dry-run q=quiet =cached",
  "git stash": "u=include-untracked a=all k=keep-index p=patch S=staged q=quiet m:message",
  "git switch": "c:create C:force-create d=detach f=force|discard-changes t=track m=merge q=quiet",
  "git tag":
    "d=delete f=force a=annotate s=sign u:local-user m:message F:file l=list v=verify e=edit",
  "git worktree": "f=force d=detach b: B: q=quiet",
  rm: "r=recursive R=recursive f=force i= I= d=dir v=verbose =no-preserve-root =one-file-system",
  rmdir: "p=parents v=verbose",
  cp: "r=recursive R=recursive a=archive f=force i=interactive n=no-clobber u=update v=verbose t:target-directory",
  mv: "f=force i=interactive n=no-clobber u=update v=verbose t:target-directory",
  ln: "s=symbolic f=force i=interactive n=no-dereference v=verbose r=relative t:target-directory",
  mkdir: "p=parents v=verbose m:mode",
  chmod: "R=recursive v=verbose c=changes f=silent|quiet :reference",
  chown: "R=recursive v=verbose c=changes f=silent|quiet h=no-dereference :from :reference",
  chgrp: "R=recursive v=verbose c=changes f=silent|quiet h=no-dereference :reference",
  shred: "u=remove f=force z=zero v=verbose x=exact n:iterations s:size",
  truncate: "s:size c=no-create o=io-blocks r:reference",
  sed: "i=in-place n=quiet|silent e:expression f:file E=regexp-extended r=regexp-extended s=separate z=null-data",
  tar: "x=extract|get c=create t=list r=append u=update f:file C:directory z=gzip j=bzip2 J=xz v=verbose",
  rsync:
    "a=archive r=recursive v=verbose n=dry-run z=compress u=update e:rsh =delete :exclude :include",
  curl:
    "X:request d:data F:form T:upload-file o:output O=remote-name H:header u:user A:user-agent b:cookie " +
    "c:cookie-jar e:referer x:proxy w:write-out m:max-time K:config E:cert r:range L=location k=insecure " +
    "s=silent S=show-error f=fail G=get I=head i=include v=verbose " +
    ":data-raw :data-binary :data-urlencode :json :url",
  wget:
    "O:output-document o:output-file P:directory-prefix i:input-file U:user-agent l:level q=quiet c=continue " +
    "r=recursive :post-data :post-file :header",
  docker: "D=debug H:host c:context l:log-level :config",
  "docker exec": "d=detach i=interactive t=tty u:user w:workdir e:env :env-file =privileged",
  "docker rm": "f=force v=volumes l=link",
  "docker rmi": "f=force",
  "docker run":
    "d=detach i=interactive t=tty u:user w:workdir e:env v:volume p:publish h:hostname l:label m:memory " +
    ":env-file :name :network|net :mount :entrypoint :platform =privileged =rm",
  "docker system": "a=all f=force",
  kubectl:
    "n:namespace f:filename A=all-namespaces l:selector o:output c:container R=recursive k:kustomize s:server " +
    ":context :cluster :kubeconfig :user :grace-period =force =all",
  npm: "g=global f=force D=save-dev S=save E=save-exact w:workspace :prefix :registry :tag =dry-run =ignore-scripts",
  pnpm: "g=global D=save-dev E=save-exact r=recursive w=workspace-root C:dir F:filter",
};

/** Programs with the flags of another program. */
const RUNS_SAME: Readonly<Record<string, string>> = {
  podman: "docker",
  gcp: "cp",
  gmv: "mv",
  grm: "rm",
  gsed: "sed",
  gtar: "tar",
};

/** Prefixes of operands with the meaning of a flag: `git push origin +main` forces. */
const RUNS_OPERANDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "git push": { "+": "force", ":": "delete" },
};

/** Programs whose long flags have one dash, so that letters are not grouped: `find -delete`. */
const ONE_DASH: readonly string[] =
  "find gfind go java javac terraform tofu openssl ffmpeg ffprobe convert magick xset".split(" ");

/** Programs whose operands are `name=value` in any order: `dd if=a of=b`. */
const NAMED_OPERANDS: readonly string[] = ["dd", "make", "gmake"];

/** What is known of the flags of a command. */
export interface FlagSet {
  readonly letters: ReadonlyMap<string, LetterFlag>;
  /** By every name. */
  readonly longs: ReadonlyMap<string, LongFlag>;
  /** Prefixes of operands, with the flag that each means. */
  readonly operands: ReadonlyMap<string, string>;
  /** Long flags have one dash, and letters are not grouped. */
  readonly oneDash: boolean;
  /** `name=value` is parsed as a flag in any position. */
  readonly namedOperands: boolean;
}

interface LetterFlag {
  /** The first names of the flags that it stands for. */
  readonly means: readonly string[];
  readonly takesValue: boolean;
}

interface LongFlag {
  /** The first of its names. */
  readonly first: string;
  readonly takesValue: boolean;
}

/** @param subcommand the first operand, if there is one */
export function flagsOf(program: string, subcommand?: string): FlagSet {
  const name = known(RUNS_SAME, program) ?? program;
  const whole = `${name} ${subcommand ?? ""}`;
  const letters = new Map<string, LetterFlag>();
  const longs = new Map<string, LongFlag>();
  for (const entry of (known(RUNS_FLAGS, whole) ?? fallback(name, subcommand)).split(" ")) {
    const [, letter = "", sign, names = ""] = /^(\w?)([=:])(.*)$/.exec(entry) ?? [];
    const takesValue = sign === ":";
    const means = names.split(",").map((each) => each.split("|"));
    for (const [first = "", ...others] of means) {
      if (first === "" || (means.length > 1 && longs.has(first))) continue;
      for (const each of [first, ...others]) longs.set(each, { first, takesValue });
    }
    if (letter === "") continue;
    letters.set(letter, { means: means.flatMap(([first]) => first || []), takesValue });
  }
  return {
    letters,
    longs,
    operands: new Map(Object.entries(known(RUNS_OPERANDS, whole) ?? {})),
    oneDash: ONE_DASH.includes(program),
    namedOperands: NAMED_OPERANDS.includes(program),
  };
}

/** Git's own flags come before the subcommand and have no meaning after it. */
function fallback(program: string, subcommand: string | undefined): string {
  if (program === "git" && subcommand !== undefined) return "";
  return known(RUNS_FLAGS, program) ?? "";
}

function known<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
