-- Which words of a command are files that it writes, moves or removes. For programs that are in no
-- table, such as most compilers and scripts, only common output options (outputs.COMMON) count.
local archives = require "file_guard.archives"
local copied = require "file_guard.copied"
local git = require "file_guard.git_written"
local write_out = require("shell_guard.commands").write_out
local outputs = require "file_guard.outputs"
local reading = require "file_guard.reading"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has
local copies, base, is_remote = copied.copies, copied.base, copied.is_remote

local DEVICES = set "/dev/null /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/zero /dev/full"

-- Adds all operands except the first `skipped` ones.
local function all(valued, how, skipped)
  valued = set(valued)
  return function(argv, add)
    local operands, options = split(argv, valued)
    local from = has(options, set "--reference") and 0 or skipped or 0
    for i = from + 1, #operands do add(operands[i].text, operands[i].at, how) end
  end
end

-- Adds the values of the options in `wanted`, and of those in `folders`, into which files of any name are written.
local function values(valued, wanted, long, folders)
  valued, wanted, folders = set(valued), set(wanted), set(folders)
  return function(argv, add)
    local _, options = split(argv, valued, long)
    words.each_value(options, wanted, add)
    words.each_value(options, folders, function(text, at) add(text, at, "below") end)
  end
end

local function in_place(valued, script)
  valued = set(valued .. " -i")
  valued["-i"] = "joined"
  local wanted = set "-i --in-place --inplace"
  return function(argv, add)
    local operands, options = split(argv, valued)
    if not has(options, wanted) then return end
    -- With BSD's sed -i '', the suffix for backup copies is a separate word.
    if operands[1] and operands[1].text == "" then table.remove(operands, 1) end
    for i = has(options, script) and 1 or 2, #operands do add(operands[i].text, operands[i].at) end
  end
end

local function dd(argv, add)
  for at = 2, #argv do
    if argv[at]:sub(1, 3) == "of=" then add(argv[at]:sub(4), at) end
  end
end

local function first_operand(valued)
  valued = set(valued)
  return function(argv, add)
    local operands = split(argv, valued)
    if operands[1] then add(operands[1].text, operands[1].at) end
  end
end

local CURL = [[
  -o --output -d --data --data-binary --data-raw --data-urlencode -F --form -H --header -X --request -u --user -A
  --user-agent -e --referer -b --cookie -c --cookie-jar -T --upload-file -m --max-time --retry -x --proxy -w --write-out
  --url -K --config --key --cert -E --cacert --connect-timeout --output-dir -D --dump-header --resolve -r --range
  --json --trace --trace-ascii --stderr --etag-save --etag-compare --hsts --alt-svc --libcurl --netrc-file -z
  --time-cond -C --continue-at --limit-rate --interface -Q --quote --retry-delay --retry-max-time ]]
local CURL_WRITES = [[
  -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl ]]
local WGET = [[
  -O --output-document -P --directory-prefix -o --output-file -a --append-output -U --user-agent --header --post-data
  --post-file -t --tries -T --timeout -i --input-file -e -Q -w --user --password --save-cookies --load-cookies
  --rejected-log --warc-file ]]
local WGET_WRITES = [[
  -o --output-file -a --append-output --save-cookies --rejected-log --warc-file ]]

local function url_name(url)
  return url:gsub("[?#].*$", ""):match("://[^/]+/.-([^/]+)$")
end

-- The writer of a program that fetches URLs. fetch: `valued`; options whose value is written (`writes`), is the file
-- for what is fetched (`output`, in the folder if `in_folder`), or the folder for it (`folder`); `named`: options
-- without which it is not written to a file that the URL names
local function fetches(fetch)
  local valued, outputs_of, folders = set(fetch.valued), set(fetch.output), set(fetch.folder)
  local writes, named = set(fetch.writes), fetch.named and set(fetch.named)
  return function(argv, add)
    local operands, options = split(argv, valued)
    local folder, at = words.value(options, folders)
    local lead = folder and folder .. "/" or ""
    words.each_value(options, writes, add)
    words.each_value(options, outputs_of, function(text, position)
      if text ~= "-" then add((fetch.in_folder and lead or "") .. text, position) end
    end)
    if named and not has(options, named) or not named and has(options, outputs_of) then return end
    -- The server may give the name, and a URL may be unknown.
    if folder then add(lead, at, "below") end
    for _, operand in ipairs(operands) do
      local name = url_name(operand.text)
      if name then add(lead .. name, operand.at) end
    end
  end
end

local curl = fetches({
  valued = CURL, writes = CURL_WRITES, output = "-o --output", folder = "--output-dir", in_folder = true,
  named = "-O --remote-name --remote-name-all -J",
})
local wget = fetches({
  valued = WGET, writes = WGET_WRITES, output = "-O --output-document", folder = "-P --directory-prefix",
})

local WRITERS

-- The folders that find starts in, and the names that it searches for.
local function sought(argv)
  local starts, names, at = {}, {}, 2
  while argv[at] and (argv[at]:find("^%-[HLP]$") or argv[at]:find("^%-O%d")) do at = at + 1 end
  while argv[at] and not argv[at]:find("^[-(!]") do
    starts[#starts + 1] = { text = argv[at], at = at }
    at = at + 1
  end
  if #starts == 0 then starts[1] = { text = ".", at = 0 } end
  for i = at, #argv do
    local excluded = argv[i - 1] == "-not" or argv[i - 1] == "!"
    if set("-name -iname -path -ipath -wholename")[argv[i]] and argv[i + 1] and not excluded then names[#names + 1] = argv[i + 1] end
  end
  return starts, names
end

local function add_sought(argv, add)
  local starts, names = sought(argv)
  for _, start in ipairs(starts) do
    add(start.text, start.at)
    for _, name in ipairs(names) do
      -- The argument of -path is matched against a path that begins with the start folder.
      add(name:find("/") and name or start.text .. "/" .. name, start.at, "gone")
    end
  end
end

local GIVEN = set "{} …"
-- Programs that often only read, and whose writers below know when they write.
local PRECISE = set "sed gsed yq tomlq cp gcp scp tar bsdtar gtar"
-- Interpreters that only read the files, if their code has nothing that may write.
local READ_BY_CODE = set "awk gawk perl ruby"
local MAY_WRITE = { "[>|`]", "unlink", "rename", "open", "system", "exec", "rmdir", "qx", "File", "IO", "chmod", "truncate", "link" }
local REMOVERS = set "rm unlink shred trash trash-put rimraf gio"
-- Tests with which find matches only some of the files.
local NARROWS = set [[
  -empty -mtime -mmin -atime -amin -ctime -cmin -newer -newermt -size -regex -iregex -user -group -perm -inum -links
  -samefile -xtype -executable -nouser ]]

-- Whether find removes everything that it visits.
local function removes_all(argv)
  local removes = false
  for i = 2, #argv do
    local word = argv[i]
    if NARROWS[word] or word:find("^%-i?name$") or word:find("path$") or word == "-wholename" then return false end
    removes = removes or word == "-delete" or (word:find("^%-exec") and REMOVERS[base(argv[i + 1] or "")]) or false
  end
  return removes
end

-- The words of a command that find runs, which end with `;` or `+`.
local function executed(argv, at)
  local words_of = {}
  while argv[at] and argv[at] ~= ";" and argv[at] ~= "+" do
    words_of[#words_of + 1] = argv[at]
    at = at + 1
  end
  return write_out(words_of)
end

-- Whether an interpreter runs code of its command line that has nothing which may write: `perl -ne 'print'`.
local function only_shows(argv)
  local has_code = argv[1]:find("awk$") ~= nil and not orcs.contains(argv, "-f")
  for at = 2, #argv do
    has_code = has_code or argv[at]:find("^%-%a*[eE]$") ~= nil
    for _, pattern in ipairs(MAY_WRITE) do
      if argv[at]:find(pattern) then return false end
    end
  end
  return has_code
end

-- Whether a command may write to the files that find or xargs gives it, at `{}`, `…` or its end.
local function writes_given(argv)
  local program = base(argv[1] or ""):lower()
  local is_precise = PRECISE[program] or READ_BY_CODE[program] and only_shows(argv)
  if not is_precise then return WRITERS[program] ~= nil or outputs.CHANGED[program] ~= nil end
  local given, writes = false, false
  for at = 2, #argv do given = given or GIVEN[argv[at]] or false end
  local all_words = given and argv or table.move(argv, 1, #argv, 1, { [#argv + 1] = "{}" })
  WRITERS[program](all_words, function(text) writes = writes or GIVEN[text] or false end)
  return writes
end

local function find(argv, add)
  local gone = false
  if removes_all(argv) then
    for _, start in ipairs((sought(argv))) do add(start.text, start.at, "gone") end
  end
  for i = 2, #argv do
    if set("-fprint -fprint0 -fls -fprintf")[argv[i]] and argv[i + 1] then add(argv[i + 1], i + 1) end
    local runs = argv[i]:find("^%-exec") or argv[i]:find("^%-ok")
    gone = gone or argv[i] == "-delete" or (runs and writes_given(executed(argv, i + 1)))
  end
  if gone then add_sought(argv, add) end
end

local function sort(argv, add)
  values("-o --output -k -t -S -T", "-o --output")(argv, add)
end

-- Adds a file in a folder; nil stands for the current one.
local function in_folder(folder, operand, add)
  add((folder and folder .. "/" or "") .. operand.text, operand.at)
end

local function patch(argv, add)
  local operands, options = split(argv, set "-p --strip -i --input -o --output -d --directory -D -r -B -z -F -V -Y")
  if has(options, set "--dry-run") then return end
  words.each_value(options, set "-o --output", add)
  local folder = words.value(options, set "-d --directory")
  if operands[1] then in_folder(folder, operands[1], add) end
  if folder then add(folder, 0, "below") end
end

local function second(valued, long)
  valued = set(valued)
  return function(argv, add)
    local operands = split(argv, valued, long)
    if operands[2] then add(operands[2].text, operands[2].at) end
  end
end

local SPLIT = set [[
  -a --suffix-length --additional-suffix -b --bytes -C --line-bytes -l --lines -n --number -t --separator --filter ]]

-- The files of split begin with its second operand.
local function split_files(argv, add)
  local operands, options = split(argv, SPLIT)
  local prefix, suffix = operands[2], words.value(options, set "--additional-suffix")
  if not prefix then return end
  add(prefix.text, prefix.at)
  if suffix then add(prefix.text .. "*" .. suffix, prefix.at) end
end

local function inplace_awk(argv, add)
  local operands, options = split(argv, set "-F --field-separator -v --assign -f --file -i --include")
  local changes = false
  for _, option in ipairs(options) do
    changes = changes or ((option.name == "-i" or option.name == "--include") and option.text == "inplace")
  end
  for i = has(options, set "-f --file") and 1 or 2, changes and #operands or 0 do
    add(operands[i].text, operands[i].at)
  end
end

-- A mode may look like an option: chmod -x file.
local function modes(argv, add)
  local operands, options = split(argv, set "--reference")
  local first = has(options, set "--reference") and 1 or 2
  for at = 2, #argv do
    if argv[at]:find("^%-[rwxXstugoa,=+-]+$") then first = 1 end
  end
  for i = first, #operands do add(operands[i].text, operands[i].at) end
end

-- Returns the words from a position on, and a function that adds what a writer of them adds.
local function from(argv, first, add)
  return table.move(argv, first, #argv, 1, {}), function(text, at, how) add(text, at and first + at - 1, how) end
end

local CONTAINER = set "-o --output -c --container -n --namespace"
local out_of_container = copies(CONTAINER, "remote")
local GROUPS = set "compose container image"
local BUILD = set "-t --tag -f --file -o --output --build-arg --target --platform --secret --ssh --cache-from --cache-to"

-- What a build stores outside of the images: `docker build -o dir`, `--output type=tar,dest=x.tar`.
local function built(argv, add)
  local _, options = split(argv, BUILD)
  words.each_value(options, set "-o --output", function(text, at)
    local file = text:match("dest=([^,]+)") or (not text:find("=") and text)
    if file then add(file, at) end
  end)
end

-- Files that are copied out of a container, and saved images.
local function container(argv, add)
  local sub
  if argv[2] == "build" or argv[2] == "buildx" then return built(argv, add) end
  for at = 2, #argv do
    if argv[at] == "cp" or argv[at] == "save" or argv[at] == "export" then
      sub = at
      break
    end
    if argv[at]:sub(1, 1) ~= "-" and argv[at - 1]:sub(1, 1) ~= "-" and not GROUPS[argv[at]] then return end
  end
  if not sub then return end
  local rest, add_rest = from(argv, sub, add)
  if argv[sub] == "cp" then return out_of_container(rest, add_rest) end
  local _, options = split(rest, CONTAINER)
  words.each_value(options, set "-o --output", add_rest)
end

-- Subcommands that write files, with the operands in front of those that they write. A negative number: behind that
-- many there is a folder for files of any name; without one, it is named like the last of them.
local CLONES = { clone = -2, archive = -1, init = 1 }
local SUBVERSION = {
  checkout = -2, co = -2, export = -2, switch = 2, sw = 2, update = 1, up = 1, revert = 1, resolve = 1, delete = 1,
  del = 1, remove = 1, rm = 1, mkdir = 1, move = 1, mv = 1, rename = 1, ren = 1, copy = 2, cp = 2, cleanup = 1,
  upgrade = 1,
}

local function versioned(subcommands, valued)
  valued = set(valued)
  return function(argv, add)
    local operands = split(argv, valued)
    local before = operands[1] and subcommands[operands[1].text]
    local folder = before and before < 0
    before = before and math.abs(before) or #operands
    local source = folder and before > 1 and not operands[before + 1] and operands[before]
    if source then add(base(source.text):gsub("^.*:", ""):gsub("%.git$", ""), source.at, "below") end
    for i = before + 1, #operands do
      if not operands[i].text:find("://") then add(operands[i].text, operands[i].at, folder and "below" or nil) end
    end
  end
end

local bazaar = versioned({ branch = -2, checkout = -2 })
local mercurial = versioned(CLONES, "-r --rev -b --branch -u --updaterev -e --ssh -t --type -p --prefix -I -X -R --cwd")
local subversion = versioned(SUBVERSION, "-r --revision --depth --set-depth -m --message -F --file -c --change --accept")

-- Subcommands of programs that copy between this machine and a store, those that copy what is in a folder, and options
-- that make others do so.
local STORED = set "cp mv get get-object invoke scp sync rsync mirror copy copyto move moveto bisync"
local TREES, TREE_OPTIONS = set "sync rsync mirror copy move bisync", set "-r -R --recursive"
local STORED_VALUED = set [[
  --profile --region --endpoint-url --exclude --include --acl --storage-class --config --filter --transfers --outfile
  -h -o -c ]]
local to_stored = copies(STORED_VALUED, "remote")

-- A copy from a store: `aws s3 cp s3://a/b DIR`.
local function stored(argv, add)
  local operands, options = split(argv, STORED_VALUED)
  words.each_value(options, set "--outfile", add)
  local last = operands[#operands]
  for i = 1, math.min(3, #operands - 2) do
    if STORED[operands[i].text] then
      local is_tree = TREES[operands[i].text] or has(options, TREE_OPTIONS)
      if is_tree and not is_remote(last.text) then add(last.text, last.at, "below") end
      return to_stored(from(argv, operands[i].at, add))
    end
  end
  -- Further subcommands of rclone write their last operand as well.
  if argv[1]:find("rclone$") and #operands > 1 and not is_remote(last.text) then add(last.text, last.at) end
end

-- `gh repo clone`, and what is downloaded.
local github_clone = versioned({ clone = -2 }, "-u --upstream-remote-name")
local function github(argv, add)
  local _, options = split(argv, set "-D --dir -O --output -R --repo -p --pattern -n --name -t -b -F -A --archive")
  words.each_value(options, set "-O --output", add)
  words.each_value(options, set "-D --dir", function(text, at) add(text, at, "below") end)
  if argv[3] == "clone" then github_clone(from(argv, 2, add)) end
end

local function mktemp(argv, add)
  local operands, options = split(argv, set "-p --tmpdir --suffix")
  if has(options, set "-t") then return end
  local folder = words.value(options, set "-p --tmpdir")
  if operands[1] then return in_folder(folder, operands[1], add) end
  if folder then add(folder, 0, "below") end
end

-- The writer of a program that is in a table of file_guard.outputs, or nil.
local function told(program)
  local option = outputs.OPTIONS[program]
  if option then return values(table.unpack(option, 1, 4)) end
  if outputs.LAST[program] then
    return function(argv, add)
      local operands = split(argv, set(outputs.LAST_VALUED[program]))
      local operand = operands[#operands]
      if #operands > 1 and not is_remote(operand.text) then add(operand.text, operand.at) end
    end
  end
  local changed = outputs.CHANGED[program]
  if not changed then return nil end
  return function(argv, add)
    local operands, options = split(argv, set(changed.valued))
    local formats = program == "ruff" and argv[2] == "format" and not has(options, set "--check --diff")
    if not formats and changed.only and not has(options, set(changed.only)) then return end
    if has(options, set(changed.unless)) then return end
    for i = 1 + (changed.skipped or 0), #operands do add(operands[i].text, operands[i].at) end
  end
end

-- Whether a word is one of the common output options, or abbreviates one.
local function is_common(word)
  if #word < 5 or word == "--target" then return false end
  return (" " .. outputs.COMMON):find("%s" .. word:gsub("%-", "%%-")) ~= nil
end

-- Adds the values of common output options that look like files or folders.
local function common(argv, add)
  for at = 2, #argv do
    local word, value = argv[at]:match("^(%-%-[%a-]+)=?(.*)$")
    local is_joined = value and #value > 0
    value = is_joined and value or argv[at + 1]
    local is_path = word and value and value:find("[/.]") and not value:find("^%-") and not value:find("[%s{]")
    if is_path and is_common(word) and not value:find("://") then
      add(value, is_joined and at or at + 1)
    end
  end
end

-- Python modules that are run, unless they are named like a program that does the same: `python -m black`.
local MODULES = {
  ["json.tool"] = second("--indent"), venv = all("--prompt"), zipapp = values("-o --output -p -m", "-o --output"),
  cProfile = values("-o --outfile -s", "-o --outfile"), zipfile = archives.zipfile, tarfile = archives.zipfile,
}

local function python(argv, add)
  for at = 2, #argv do
    local module = argv[at] == "-m" and argv[at + 1]
    local writer = module and (MODULES[module] or WRITERS[module] or told(module))
    if writer then return writer(from(argv, at + 1, add)) end
    if module or argv[at]:sub(1, 1) ~= "-" or argv[at] == "-c" then return end
  end
end

local RSYNC = set [[
  -e --rsh --exclude --include --exclude-from --include-from --files-from -f --filter --log-file --port --timeout
  --chmod --rsync-path --backup-dir --partial-dir --temp-dir -T --write-batch --only-write-batch ]]
local RSYNC_WRITES = set "--log-file --backup-dir --partial-dir --temp-dir -T --write-batch --only-write-batch"
local to_last = copies(RSYNC, "remote")

local function rsync(argv, add)
  local _, options = split(argv, RSYNC)
  words.each_value(options, RSYNC_WRITES, add)
  to_last(argv, add)
end

local OUTPUT = values("-o", "-o")
local MODES = all(nil, nil, 1)
local COPY = set "-t --target-directory -S --suffix"

WRITERS = {
  rm = all(nil, "gone"), rmdir = all(nil, "gone"), unlink = all(nil, "gone"),
  shred = all("-n -s --size --iterations", "gone"),
  touch = all("-d --date -t -r"), mkdir = all("-m --mode"), mkfifo = all("-m --mode"), truncate = all("-s --size -r"),
  tee = all(), sponge = all(), chmod = modes, chown = MODES, chgrp = MODES, chattr = all("-v -p", nil, 1),
  cp = copies(COPY, "copy"), gcp = copies(COPY, "copy"), mv = copies(COPY, "move"), gmv = copies(COPY, "move"),
  ln = copies(COPY, "link"),
  install = copies(set "-t --target-directory -S --suffix -m --mode -o --owner -g --group", "install"),
  rsync = rsync,
  scp = copies(set "-i -F -o -P -S -J -l -c", "remote"),
  sed = in_place("-e --expression -f --file -l --line-length", set "-e --expression -f --file"),
  gsed = in_place("-e --expression -f --file -l --line-length", set "-e --expression -f --file"),
  perl = in_place("-e -E", set "-e -E"), ruby = in_place("-e", set "-e"),
  yq = in_place("--arg -o -p", set "--from-file"),
  dd = dd, zip = first_operand("-x -i -b -P -n -t"),
  gio = versioned({ trash = 1, remove = 1, mkdir = 1, rename = 1, move = 1, copy = 2, save = 1 }, ""),
  docker = container, podman = container, nerdctl = container,
  kubectl = container, oc = container, hg = mercurial, svn = subversion, git = git,
  trash = all(nil, "gone"), ["trash-put"] = all(nil, "gone"), rimraf = all(nil, "gone"),
  curl = curl, curlie = curl, wget = wget, wget2 = wget, find = find, sort = sort, patch = patch,
  aria2c = fetches({
    valued = "-o --out -d --dir -l --log -i --input-file --header --save-session --save-cookies --load-cookies -x -s",
    output = "-o --out", folder = "-d --dir", in_folder = true, writes = "-l --log --save-session --save-cookies",
  }),
  aws = stored, gsutil = stored, gcloud = stored, s3cmd = stored, s5cmd = stored, mc = stored, rclone = stored,
  azcopy = stored,
  gh = github, glab = github, python = python, python2 = python, python3 = python, pypy = python, pypy3 = python,
  xxd = second("-c -cols -g -groupsize -l -len -n -name -o -s -seek -R", true), lz4 = second("-D"),
  degit = second(), tiged = second(), ["lwp-download"] = second("-b"), unrar = versioned({ x = -2, e = -2 }),
  asar = versioned({ extract = -2, e = -2 }), copier = versioned({ copy = -2 }, "-d --data -a -r"),
  bzr = bazaar, brz = bazaar, fossil = versioned({ clone = 2 }), ditto = copies({}, "remote"),
  split = split_files, uniq = second("-f --skip-fields -s --skip-chars -w --check-chars"),
  ed = all("-p"), ex = all("-c -S --cmd -u -i"), vi = all("-c -S --cmd -u -i"), vim = all("-c -S --cmd -u -i"),
  nvim = all("-c -S --cmd -u -i"), psql = values("-c --command -f --file -d -h -p -U -v -o --output -L --log-file",
    "-o --output -L --log-file"),
  awk = inplace_awk, gawk = inplace_awk, tomlq = in_place("-p", set "--from-file"),
  mktemp = mktemp,
  openssl = values("-out -keyout -in", "-out -keyout", true), ["ssh-keygen"] = values("-f -t -b -N -C -P", "-f"),
  gcc = OUTPUT, ["g++"] = OUTPUT, cc = OUTPUT, clang = OUTPUT, ["clang++"] = OUTPUT, ld = OUTPUT, rustc = OUTPUT,
  go = values("-o", "-o", true),
}

for program, writer in pairs(archives.programs) do WRITERS[program] = writer end

local WRITES = set "> >> >| &> &>> <>"

-- Whether writing to a path changes no file.
local function is_device(text)
  return DEVICES[text] == true or text:find("^/dev/fd/%d+$") ~= nil or text:find("^/proc/self/fd/%d+$") ~= nil
end

-- Calls add(text, unknown, how) for each file that a command writes. `how` is "gone" for a file
-- that is removed or moved away (links are not followed), "below" for a folder in which anything
-- may be written, "tree" for one that a folder is copied onto, "brings" for a target that a folder with unknown content
-- may be put at, and otherwise nil.
-- names: the names of the files that find, fd or ls gives the command, as globs; nil if they are not known
local function each(command, add, names)
  for _, redirect in ipairs(command.redirects) do
    local target = redirect.target
    if WRITES[redirect.op] and not is_device(target) then
      add(target, redirect.dynamic)
    end
  end
  local program = command.program:lower()
  local writer = WRITERS[program]
  if not writer then
    writer = told(program) or common
  end
  local unknown = words.unknown(command)
  writer(command.argv, function(text, at, how)
    if text ~= "-" and text ~= "{}" and text ~= "" and not is_device(text) then add(text, unknown[at], how) end
  end, names)
end

local OR = set "-o -or ,"

-- The names of the files that find, fd, ls or printf prints, as globs; nil if they are not known.
local function names_of(command)
  local program, argv, names = command.program, {}, {}
  for at, word in ipairs(command.argv) do
    if word:find("^%-%a*[xX]$") or word:find("^%-%-?exec") then break end
    argv[at] = word
  end
  if program == "find" then
    local branches, _, found = 1, sought(argv)
    for _, word in ipairs(argv) do branches = branches + (OR[word] and 1 or 0) end
    -- One branch without a name finds all names.
    for _, name in ipairs(#found >= branches and found or {}) do names[#names + 1] = base(name) end
  elseif program:find("^fd") then
    local operands, options = split(argv, reading.FD_VALUED)
    local pattern, extension = operands[1] and operands[1].text or "", words.value(options, set "-e --extension")
    if extension then names[1] = "*." .. extension
    elseif pattern:find("^[%w_.-]+$") then names[1] = "*" .. pattern:gsub("%.", "?") .. "*" end
  else
    for at = 2, #argv do
      local word = argv[at]:gsub("\\[n0].*$", "")
      local is_name = program == "ls" and word:find("^[^-].*[*?]") or program == "printf" and not word:find("%%")
      if is_name then names[#names + 1] = base(word) end
    end
  end
  return names[1] and names or nil
end

-- Calls add in the same way for the files whose names a command prints for another command that
-- writes to them.
local function printed(command, add)
  local unknown = words.unknown(command)
  local function name(text, at, how)
    if not unknown[at] then add(text, false, how) end
  end
  if command.program == "find" then return add_sought(command.argv, name) end
  if command.program ~= "ls" and command.program ~= "echo" and command.program ~= "printf" then return end
  for at = 2, #command.argv do
    if command.argv[at]:sub(1, 1) ~= "-" then name(command.argv[at], at, "gone") end
  end
end

-- Whether a program is known to write files.
local function is_writer(command)
  local program = command.program:lower()
  return WRITERS[program] ~= nil or outputs.CHANGED[program] ~= nil
end

return {
  is_device = is_device, each = each, printed = printed, names_of = names_of, is_writer = is_writer,
  writes_given = writes_given,
}
