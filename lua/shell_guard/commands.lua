-- Reads command lines for the guards, with abbreviated long options written out: getopt, and the parsers of git, curl,
-- Python, Perl and Ruby, take any beginning of a name that only one option has, as in `sed --in-pl`. So the tables of
-- the guards name each option once, and in full.

local words = require "shell_guard.words"

local commands = {}

-- The long options of programs that take abbreviations: those that the guards know, and those that begin like one.
local MODES = "from quiet recursive reference silent verbose"
local LINKS = [[
  archive context directory force group link mode no-clobber no-copy no-dereference no-preserve no-target-directory
  owner recursive strip strip-program strip-trailing-slashes suffix symbolic symbolic-link target-directory update
  verbose ]]
local PACKERS = [[
  check files files0 force format keep list name quiet recursive stdout suffix test threads to-stdout verbose ]]
local TAR = [[
  append catenate checkpoint checkpoint-action concatenate confirmation create delay-directory-restore delete diff
  directory exclude
  exclude-backups exclude-caches exclude-caches-all exclude-caches-under exclude-from exclude-ignore
  exclude-ignore-recursive exclude-tag exclude-tag-all exclude-tag-under exclude-vcs exclude-vcs-ignores extract file
  files-from force-local format get group group-map label list listed-incremental mode null one-file-system
  one-top-level overwrite overwrite-dir owner owner-map remove-files sort strip-components suffix to-command
  to-stdout touch transform update use-compress-program ]]
local GREP = [[
  after-context before-context color colour context count dereference-recursive devices directories exclude
  exclude-dir exclude-from file files-with-matches files-without-match fixed-strings ignore-case include invert-match
  label max-count null null-data only-matching quiet recursive regexp silent ]]
local WGET = [[
  accept append-output base body-data body-file ca-certificate ca-directory certificate certificate-type config
  connect-timeout content-disposition content-on-error continue convert-links directories directory-prefix execute
  header ignore-case ignore-length ignore-tags input-file limit-rate load-cookies method mirror output-document
  output-file password post-data post-file private-key private-key-type quiet recursive referer reject reject-regex
  rejected-log save-cookies save-headers timeout timestamping tries use-askpass use-server-timestamps user user-agent
  verbose warc-cdx warc-compression warc-dedup warc-file warc-header warc-max-size warc-tempdir ]]
local CURL = [[
  alt-svc append cacert capath cert cert-status cert-type config connect-timeout connect-to continue-at cookie
  cookie-jar data data-ascii data-binary data-raw data-urlencode dump-header etag-compare etag-save form form-escape
  form-string get head header hsts include interface json key key-type libcurl limit-rate list-only location
  location-trusted max-filesize max-redirs max-time netrc netrc-file netrc-optional output output-dir proxy
  proxy-header proxy-user quote range raw referer remote-header-name remote-name remote-name-all remote-time request
  request-target resolve retry retry-all-errors retry-connrefused retry-delay retry-max-time silent stderr time-cond
  trace trace-ascii trace-config trace-ids trace-time upload-file url url-query user user-agent verbose write-out ]]
local MAKE = [[
  directory dry-run eval file jobs jobserver-auth just-print makefile question quiet recon silent touch trace ]]
local GPG = [[
  batch decrypt delete-keys delete-secret-keys dry-run export export-secret-keys group import local-user log-file
  output passphrase passphrase-fd passphrase-file quick-generate-key quiet receive-keys recipient server verbose
  verify yes ]]
local PIP = [[
  cache-dir cert dest dry-run hash platform pre prefer-binary prefix progress-bar proxy python python-version quiet
  root root-user-action target timeout use-deprecated use-feature use-pep517 user verbose wheel-dir ]]
local HG = "base branch config cwd date dest exclude include message output prefix rev ssh type updaterev"

local OPTIONS = {
  ["chmod chown chgrp"] = MODES, ["cp gcp mv gmv ln install"] = LINKS, ["tar gtar bsdtar"] = TAR,
  ["grep egrep fgrep zgrep"] = GREP, ["gzip gunzip xz unxz zcat xzcat zstd lzma"] = PACKERS, ["wget wget2"] = WGET,
  curl = CURL, ["make gmake"] = MAKE, ["gpg gpg2"] = GPG,
  ["pip pip3"] = PIP, hg = HG,
  psql = "command dbname echo-all field-separator file host list log-file output password port quiet set username",
  ["pg_dump pg_dumpall pg_restore"] = [[
    clean compress create dbname encoding extension file format host jobs list password port schema schema-only
    username ]],
  autopep8 = "exclude ignore in-place indent-size recursive select", yapf = "exclude in-place recursive style",
  isort = "check check-only diff profile", rubocop = "autocorrect autocorrect-all config format",
  autoflake = "check check-diff exclude ignore-init-module-imports imports in-place recursive stdout",
  ["rm grm"] = "dir force recursive verbose", ["rmdir"] = "verbose", ["mkdir mkfifo mknod"] = "context mode verbose",
  touch = "date no-create no-dereference reference", ["truncate gtruncate"] = "no-create reference size",
  ["shred gshred"] = "force iterations remove size verbose", ["tee gtee"] = "append",
  sort = [[
    check field-separator files0-from ignore-case ignore-leading-blanks ignore-nonprinting key merge output reverse
    sort ]],
  split = "additional-suffix bytes filter line-bytes lines number numeric-suffixes separator suffix-length verbose",
  csplit = "prefix quiet silent",
  uniq = "count group ignore-case", shuf = "output", wc = "bytes files0-from lines",
  du = "all bytes exclude exclude-from files0-from max-depth null",
  ["ls dir vdir"] = [[
    all almost-all author color context directory dired format hide hide-control-chars ignore ignore-backups
    recursive reverse size sort ]],
  mktemp = "directory dry-run quiet suffix tmpdir", ["sed gsed"] = "expression file in-place line-length quiet silent",
  ["awk gawk"] = "assign exec field-separator file include lint load profile source",
  cpio = [[
    append create directory extract file force-local format link list message null owner pass-through quiet to-stdout
    verbose ]],
  patch = [[
    batch context directory dry-run force forward get input merge output prefix quiet reverse silent strip suffix
    verbose version-control ]],
  xargs = "arg-file null replace verbose",
  parallel = "arg-file arg-sep dry-run joblog jobs load null tag timeout tmpdir verbose",
  file = "exclude exclude-quiet extension files-from list raw", iconv = "list output silent verbose",
  zip = "exclude include recurse-paths recurse-patterns unzip-command", script = "append command flush force quiet",
  setfacl = [[
    default modify modify-file recalculate-mask recursive remove remove-all remove-default remove-file restore set
    set-file test ]],
  fallocate = "length offset verbose", mysqldump = "host password port replace result-file socket user",
  aria2c = "dir dry-run header input-file load-cookies out quiet referer save-cookies save-session user-agent",
  axel = "header no-clobber no-proxy output quiet search timeout user-agent verbose",
  ["http https"] = [[
    all auth auth-type body cert cert-key follow form headers json output print proxy raw session session-read-only
    style timeout verbose verify ]],
  pandoc = "filter from output quiet template to verbose write", virtualenv = "clear python quiet verbose",
  rename = "all force no-act no-overwrite verbose",
  ["yq tomlq"] = [[
    arg argjson args from-file in-place indent inplace input-format jsonargs output-format raw-input raw-output
    rawfile slurp slurpfile ]],
  ["trash-put"] = "directory force recursive verbose", nano = "rcfile view",
  ack = [[
    after-context before-context context count files-from files-with-matches files-without-matches ignore-dir
    ignore-file invert-match output type ]],
  ag = [[
    context count filename-pattern files-with-matches files-without-matches hidden ignore ignore-case ignore-dir
    invert-match null unrestricted ]],
  ["git clone"] = [[
    branch config depth filter jobs mirror origin quiet recurse-submodules recursive ref-format reference
    reference-if-able separate-git-dir template verbose ]],
  ["git init"] = "initial-branch object-format quiet separate-git-dir template",
  ["git apply"] = [[
    apply build-fake-ancestor cached check directory exclude include index numstat quiet reverse stat summary verbose
    whitespace ]],
  ["git am"] = [[
    directory exclude gpg-sign include keep keep-cr keep-non-patch patch-format quiet quit resolved resolvemsg retry
    whitespace ]],
  ["git mv"] = "dry-run force verbose", ["git checkout-index"] = "all force index no-create prefix quiet stage stdin",
  ["git config"] = [[
    add all blob comment default edit file get get-all get-color get-colorbool get-regexp get-urlmatch global list
    name-only null path remove-section rename-section replace-all show-names show-origin show-scope system type unset
    unset-all url value worktree ]],
  ["git rm"] = "cached dry-run force pathspec-file-nul pathspec-from-file quiet",
  ["git clean"] = "dry-run exclude force quiet",
  ["git reset"] = "hard keep merge patch pathspec-file-nul pathspec-from-file quiet",
  ["git restore"] = [[
    conflict merge ours patch pathspec-file-nul pathspec-from-file quiet source staged theirs worktree ]],
  ["git checkout git switch"] = [[
    conflict create discard-changes force force-create merge orphan ours patch pathspec-file-nul pathspec-from-file
    quiet theirs ]],
  ["git stash"] = "all index message patch pathspec-file-nul pathspec-from-file quiet staged",
  ["git update-index"] = [[
    add assume-unchanged cacheinfo chmod force-remove force-untracked-cache force-write-index index-info
    index-version remove replace skip-worktree stdin verbose ]],
  ["git commit git tag git merge"] = [[
    all allow-empty author autostash branch cleanup date delete dry-run edit file force format gpg-sign include list
    local-user long message null patch pathspec-file-nul pathspec-from-file porcelain quiet quit reuse-message short
    sort stat status summary template verbose verify verify-signatures ]],
  ["git grep"] = GREP .. " cached max-depth open-files-in-pager threads untracked",
  ["git worktree"] = "expire force lock orphan porcelain quiet reason verbose",
  ["git ls-files"] = [[
    cached deleted exclude exclude-from exclude-per-directory exclude-standard full-name modified others ]],
  ["git ls-tree"] = "format full-name full-tree name-only name-status", ["git status"] = "column porcelain short",
  ["yt-dlp"] = "format format-sort output output-na-placeholder paths",
  ["az gdown hf huggingface-cli kaggle"] = "cache-dir destination file local-dir output path",
  ["git archive"] = "exec format list output prefix remote verbose",
}

-- Options of git, in front of its subcommand, whose value is the next word.
local GIT_VALUES = words.set "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix"

local rows = {}
for programs, options in pairs(OPTIONS) do
  for name in programs:gsub("git ", "git\0"):gmatch("%S+") do rows[name:gsub("\0", " ")] = options end
end

-- Returns the options of a program, and the position of the word from which on they may be.
local function options_of(argv)
  local program = (argv[1]:match("[^/]*$")):lower()
  if program ~= "git" then return rows[program], 2 end
  local at = 2
  while argv[at] and argv[at]:sub(1, 1) == "-" do at = at + (GIT_VALUES[argv[at]] and 2 or 1) end
  return rows["git " .. (argv[at] or "")], at + 1
end

-- The name of the only option that begins so; nil if it is one itself, or if there are several or none.
local function whole(options, name)
  local found
  for option in (" " .. options):gmatch("%s(" .. name:gsub("%-", "%%-") .. "%S*)") do
    if option == name or found then return nil end
    found = option
  end
  return found
end

--- Writes out the abbreviated long options in the words of a command, and returns the words.
function commands.write_out(argv)
  local options, at = nil, nil
  for i = 2, #argv do
    local word = argv[i]
    if word == "--" then break end
    local name, rest = word:match("^%-%-(%w[%w-]*)(.*)$")
    if name and (rest == "" or rest:sub(1, 1) == "=") then
      if not at then
        options, at = options_of(argv)
        if not options then break end
      end
      local full = i >= at and whole(options, name)
      if full then argv[i] = "--" .. full .. rest end
    end
  end
  return argv
end

--- Reads a command line, as orcs.shell does.
function commands.read(line, cwd, options)
  local list = orcs.shell(line, cwd, options)
  for _, command in ipairs(list) do commands.write_out(command.argv) end
  return list
end

return commands
