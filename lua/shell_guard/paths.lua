-- Classifies paths that a command removes or changes recursively, by their text alone: symbolic
-- links are not followed.

local path = require "file_guard.path"
local words = require "file_guard.words"

local byte, find, gmatch, match, sub = string.byte, string.find, string.gmatch, string.match, string.sub

local paths = {}

local SLASH = byte("/")

-- System folders. None of them is a root, unless the option `roots` lists it as an absolute path.
local SYSTEM = words.set [[
  / /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /run /sbin /srv /sys /usr /usr/bin
  /usr/lib /usr/local /usr/sbin /usr/share /var /var/lib /var/log /var/www /Applications /Library /System /Users /Volumes
  /cores /private /private/etc /private/var /tmp /var/tmp /private/tmp
]]

-- System folders together with everything in them.
local WHOLLY_SYSTEM = words.set "/bin /boot /dev /etc /lib /lib32 /lib64 /proc /sbin /sys /usr /System /Library"

-- Temporary folders: their contents may be removed, the folders themselves may not.
local TEMPORARY_ITSELF = words.set "/tmp /var/tmp /private/tmp /private/var/tmp /dev/shm"
local TEMPORARY = words.list [[
  ^/tmp/ ^/var/tmp/ ^/private/tmp/ ^/private/var/tmp/ ^/dev/shm/ ^/var/folders/[^/]+/[^/]+/[CT]/.
  ^/private/var/folders/[^/]+/[^/]+/[CT]/.
]]

-- Folders of a home directory that belong to no project, in case the home itself is the root.
local OF_A_HOME = words.set [[
  Desktop Documents Downloads Library Movies Music Pictures Public Videos Templates .ssh .gnupg .aws .azure .kube .config
  .docker .local .mozilla .password-store .git-credentials bin go src code projects work dev repos
]]

--- Normalizes a path: removes `.`, `..` and empty parts. The result for `.` is the empty string.
paths.normal = path.normal

--- Resolves a path against the working directory of a command: absolute if that is absolute, else
--- relative to where the line starts. nil: the working directory is unknown.
function paths.from(cwd, path)
  if byte(path) == SLASH then return paths.normal(path) end
  return cwd and paths.normal(path == "" and cwd or cwd .. "/" .. path)
end

-- Whether a path is inside a folder, but not the folder itself. Both must be normal and relative to
-- the same directory.
local function below(folder, path)
  if folder == "" then return path ~= "" and byte(path) ~= SLASH and path ~= ".." and sub(path, 1, 3) ~= "../" end
  if folder == "/" then return byte(path) == SLASH and path ~= "/" end
  return sub(path, 1, #folder + 1) == folder .. "/"
end

paths.below = below

local HOMES = words.list "^/root$ ^/var/root$ ^/home/[^/]+$ ^/Users/[^/]+$ ^/export/home/[^/]+$ ^~[^/]*$"

local function is_home(place, path) return path == place.home or words.matches(path, HOMES) end

-- Whether a part of a path may match everything in its folder: `*`, `.*`, `?*`, `[!.]*`, `!(a)`.
local function is_wide(part)
  if not find(part, "[*?%[(]") then return false end
  if find(part, "[!?*+@]%(") then return true end
  -- `[ab]*` is some names, as `a*` is; `[a-z]*` and `[!a]*` may be all. Without `*`, names have as many characters.
  local rest = part:gsub("%[!?%^?%[:%a+:%]%]", ""):gsub("%[([^%]]*)%]", function(chars) return find(chars, "^[!^]") and "?" or find(chars, "-", 1, true) and "" or "x" end)
  if not find(rest, "*", 1, true) and byte(part) ~= 46 then return false end
  return find(rest, "^[*?.]*$") ~= nil
end

local REPOSITORIES = words.set ".git .hg .jj .bzr"

local function may_be_git(part)
  if REPOSITORIES[part:lower()] then return true end
  if not find(part, "[*?%[]") or is_wide(part) then return false end
  -- For the shell an unclosed `[` is a literal bracket; glob_match raises an error.
  local valid, fits = pcall(orcs.glob_match, part, ".git")
  return valid and fits
end

-- Files in .git that may be removed: leftovers of interrupted operations.
local function is_left_over(path)
  return find(path, "%.git/.*%.lock$") ~= nil or find(path, "%.git/rebase%-%a+$") ~= nil
end

local HISTORY = words.list "%.git/objects/ %.git/refs/ %.git/packed%-refs$ %.git/HEAD$ %.git/logs/"

--- Whether a path in .git holds commits, or the names of them.
function paths.is_history(path) return words.matches(path, HISTORY) end

--- Whether a path in .git is one that only git writes.
function paths.is_internal(path)
  return paths.is_history(path) or find(path, "%.git/index$") ~= nil or find(path, "%.git/ORIG_HEAD$") ~= nil
end

-- Removes parts such as `*` from the end of a path (`/home/*/` → `/home`); also returns whether
-- there were any.
local function without_wide(path)
  local wide = false
  -- Qualifiers of zsh: `*(/)` is all folders.
  if find(path, "(/", 1, true) then path = path:gsub("%(/%a*%)$", "") end
  while true do
    local at = match(path, "()[^/]*/*$")
    local part = match(path, "[^/]*", at)
    if part == "" or not is_wide(part) then return path, wide end
    wide = true
    path = at == 1 and "." or sub(path, 1, at - 1)
    if path ~= "/" then path = match(path, "^(.-)/*$") end
    if path == "" then path = "/" end
  end
end

local ACCOUNTS = words.set "/etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/sudoers"

--- Whether a path is a file without which the machine does not start, or nobody can log in.
function paths.is_needed(path) return ACCOUNTS[path] or path == "/etc/fstab" or sub(path, 1, 6) == "/boot/" end

--- Whether a path is a file with the accounts of the machine or their rights, in a folder of this machine.
function paths.is_account_file(path)
  path = path and (match(path, "^/private(/etc/.*)$") or path)
  return path ~= nil and (ACCOUNTS[path] == true or sub(path, 1, 15) == "/etc/sudoers.d/")
end

--- Whether a path is the folder of a repository itself.
function paths.is_repository(path) return REPOSITORIES[match(path, "([^/]*)/*$"):lower()] == true end

-- Classifies a path that begins with the letter of a drive; nil if it does not.
local function on_drive(path)
  local rest = match(path, "^/?%a:([/\\].*)$") or match(path, "^/?%a:()$") and ""
  if not rest then return nil end
  rest = match(rest:lower(), "^[/\\]*(.-)[/\\]*$")
  if find(rest, "^[./\\]*$") then return "root" end
  if find(rest, "^users[/\\][^/\\]+$") then return "home" end
  return find(rest, "[/\\]") and "outside" or "top"
end

--- Classifies a path. Must not be removed:
---   "root"       the root folder
---   "top"        a folder in the root
---   "home"       a home directory of any user, or one of its standard folders
---   "here"       the working directory, or a root of the options
---   "above"      a folder that contains one of these
---   "git"        the folder of a repository (.git, .hg …), or a path in it
---   "temp"       a temporary folder itself
--- May be removed:
---   "below"      in a root
---   "temporary"  in a temporary folder
--- Otherwise:
---   "outside"    none of these
---   "unclear"    relative to an unknown working directory
--- Also returns the resolved path, whether it ended in a pattern that may match everything, and for
--- "below" the path relative to the root.
function paths.look(place, cwd, word)
  local trimmed, wide = without_wide(word)
  local of_a_drive = find(trimmed, "^/?%a:") and on_drive(trimmed)
  if of_a_drive then return of_a_drive, trimmed, wide end
  if sub(trimmed, 1, 2) == "~+" then trimmed = "." .. sub(trimmed, 3) end
  local path
  if byte(trimmed) == 126 then
    path = trimmed == "~" and place.home or match(trimmed, "^(.-)/*$")
    if place.home and sub(path, 1, 2) == "~/" then path = place.home .. sub(path, 2) end
    path = paths.normal(path)
  else
    path = paths.from(cwd, trimmed)
  end
  if path == nil then return "unclear", trimmed, wide end
  if path == "/" then return "root", path, wide end
  if TEMPORARY_ITSELF[path] then return "temp", path, wide end
  if path == place.start then return "here", path, wide end
  if is_home(place, path) then return "home", path, wide end
  if find(path, "^/[^/]+$") then return "top", path, wide end
  if path == "" or find(path, "^[./]+$") or below(path, place.start) then return "above", path, wide end
  for _, root in ipairs(place.roots) do
    if path == root then return "here", path, wide end
    if below(path, root) then return "above", path, wide end
    if below(root, path) then
      for part in gmatch(sub(path, #root + 1), "[^/]+") do
        if may_be_git(part) and not is_left_over(path) then return "git", path, wide end
      end
      -- Of a repository without a working tree: `x.git/objects`.
      if (paths.is_history(path) or paths.is_history(path .. "/")) and not is_left_over(path) then return "git", path, wide end
      local name = match(sub(path, #root + 1), "^/?([^/]+)$")
      if name and is_home(place, root) and OF_A_HOME[name] then return "home", path, wide end
      return "below", path, wide, match(sub(path, #root + 1), "^/*(.*)$")
    end
  end
  return words.matches(path, TEMPORARY) and "temporary" or "outside", path, wide
end

-- Caches in a home directory, and of the system: patterns for a path with a slash at its end.
local CACHES = words.list [[
  ^%.cache/. ^%.npm/_cacache/ ^%.npm/_npx/ ^%.gradle/caches/ ^%.m2/repository/ ^%.cargo/registry/ ^%.yarn/cache/
  ^%.bun/install/cache/ ^go/pkg/mod/ ^Library/Caches/. ^Library/Developer/Xcode/DerivedData/
]]
local SYSTEM_CACHES = words.list [[
  ^/var/lib/apt/lists/ ^/var/cache/apt/ ^/var/cache/apk/ ^/var/cache/yum/ ^/var/cache/dnf/
]]

--- Whether a path outside the roots is a cache or inside one.
--- @param path as returned by paths.look
function paths.is_cache(place, path)
  local home = place.home
  local rest = home and below(home, path) and sub(path, #home + 2)
    or match(path, "^~/(.*)$") or match(path, "^/home/[^/]+/(.*)$") or match(path, "^/Users/[^/]+/(.*)$") or match(path, "^/root/(.*)$")
  return words.matches(path .. "/", SYSTEM_CACHES) or rest ~= nil and words.matches(rest .. "/", CACHES)
end

--- Whether a path is a system folder or inside one.
function paths.is_system(path)
  if SYSTEM[path] then return true end
  if find(path, "^/usr/local/") or find(path, "^/private/var/") then return false end
  return WHOLLY_SYSTEM[match(path, "^/[^/]+")] == true
end

--- Makes the `place` of a line: where it starts, and the roots in which it may remove files.
--- @param start absolute folder that the line starts in, or nil if unknown
--- @param base absolute folder of the session, or nil
--- @param sandbox absolute folder that tools cannot leave, or nil
--- @param names the option `roots`
function paths.place(start, base, sandbox, names)
  local from = base and paths.normal(base) or ""
  local place = { start = start and paths.normal(start) or "", home = path.home, roots = {} }
  local function add(root)
    if root and not SYSTEM[root] then place.roots[#place.roots + 1] = root end
  end
  for _, name in ipairs(names) do
    if byte(name) == SLASH then
      place.roots[#place.roots + 1] = paths.normal(name)
    elseif name == "." then
      add(from)
      add(sandbox and paths.normal(sandbox))
    else
      add(paths.from(from == "" and "." or from, name))
    end
  end
  return place
end

-- Programs whose output is assumed to be a plain name, not a path that leaves a folder.
local TAME = words.set "date uname hostname whoami id git basename nproc"

-- Splits a leading expansion from the rest of a word.
local function split(text)
  for _, pattern in ipairs({ "^(%$%b{})(.*)$", "^(%$%b())(.*)$", "^(`[^`]*`)(.*)$", "^(%$[%w_]+)(.*)$" }) do
    local head, rest = match(text, pattern)
    if head then return head, rest end
  end
  return "", text
end

--- Returns what is known about a word with expansions; nil if nothing useful is:
---   "path", the path         the value is known: `$HOME/x`
---   "temporary", the rest    in the folder of a variable such as $TMPDIR
---   "in", the beginning      `build/$X`
---   "to", the last part      `$X/node_modules`
function paths.guess(place, word)
  local text = word:gsub("[\"']", "")
  if byte(text) == 126 and not find(text, "[$`]") then return "path", text end
  local head, rest = split(text)
  local plain = not find(rest, "[$`]")
  -- Where the line changes it; otherwise its value is known.
  local is_home = head == "$HOME" or head == "${HOME}"
  if is_home and plain and (rest == "" or byte(rest) == SLASH) then return "path", (place.home or "~") .. rest end
  if plain and find(head, "^%${?[%w_]*[Tt][Ee]?[Mm][Pp]") and not find(head:lower(), "templ", 1, true) and find(rest, "^/[%w_.-]*[%w_-]") and not find(rest, "..", 1, true) then
    -- If the variable were empty, the rest would be the whole path.
    if not SYSTEM[match(rest, "^/[^/]+")] then return "temporary", rest end
  end
  if head == "" then
    local begins, inner = match(text, "^([^$`]+)[$`]"), match(text, "%$%(%s*([%w_-]+)") or match(text, "`%s*([%w_-]+)")
    if begins and not find(text, "..", 1, true) and (inner == nil or TAME[inner]) then return "in", begins end
    return nil
  end
  local name = match(text, "/([^/$`*?%[]+)/?$")
  if name and name ~= ".." then return "to", name end
end

-- Files and folders in /dev that are safe to write to.
local HARMLESS = words.set "null zero full random urandom stdin stdout stderr console ptmx log"
local HARMLESS_FOLDERS = words.set "pts fd shm tcp udp snd net"

--- Whether writing to a path may write to a disk or to memory, or restart the machine. Files in /dev that are not known
--- to be harmless count.
--- @param cwd the `cwd` of the command, as orcs.shell returns it
function paths.is_device(cwd, word)
  local path = paths.from(cwd, word)
  if path == "/proc/sysrq-trigger" then return true end
  local name = path and path:match("^/dev/(.+)$")
  return name ~= nil and not (HARMLESS[name] or name:find("^tty") or HARMLESS_FOLDERS[name:match("^(.-)/")])
end

return paths
