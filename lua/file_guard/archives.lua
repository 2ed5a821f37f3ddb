-- Files that archive programs write, create or unpack: for file_guard.write_targets.
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has

local TAR = require("file_guard.reading").TAR_VALUED

-- Adds the folder that is unpacked into: the current one, unless another is given.
local function unpack_into(add, folder, at)
  add(folder or ".", at or 0, "below")
end

local function tar(argv, add)
  if argv[2] and not argv[2]:find("^%-") then
    argv = table.move(argv, 1, #argv, 1, {})
    -- In the old form, the letters take their values in order: `tar xzfC a.tgz folder`.
    local letters = table.remove(argv, 2)
    local at = 2
    for letter in letters:gmatch(".") do
      table.insert(argv, at, "-" .. letter)
      at = at + (TAR["-" .. letter] and argv[at + 1] and 2 or 1)
    end
  end
  local operands, options = split(argv, TAR)
  if has(options, set "-x --extract --get") then
    return unpack_into(add, words.value(options, set "-C --directory --one-top-level"))
  end
  if has(options, set "-t --list") then return end
  words.each_value(options, set "-f --file", add)
  for _, operand in ipairs(has(options, set "--remove-files") and operands or {}) do add(operand.text, operand.at, "gone") end
end

local function unzip(argv, add)
  local _, options = split(argv, set "-d -x -P")
  if has(options, set "-l -t -p -Z -v -z") then return end
  unpack_into(add, words.value(options, set "-d"))
end

local SHOWS = set "-c --stdout --to-stdout -t --test -l --list"

local function compress(argv, add)
  local operands, options = split(argv, set "-S --suffix -b -o")
  local output, at = words.value(options, set "-o")
  if output then return add(output, at) end
  if has(options, SHOWS) then return end
  for _, operand in ipairs(operands) do add(operand.text, operand.at, "gone") end
end

-- Adds the archive that a, u or d changes, or the folder that x or e unpacks into.
local function seven_zip(argv, add)
  if argv[2] == "a" or argv[2] == "u" or argv[2] == "d" then
    for at = 3, #argv do
      if argv[at]:sub(1, 1) ~= "-" then return add(argv[at], at) end
    end
  end
  if argv[2] ~= "x" and argv[2] ~= "e" then return end
  for at = 3, #argv do
    local folder = argv[at]:match("^%-o(.+)$")
    if folder then return add(folder, at, "below") end
  end
  unpack_into(add)
end

local function cpio(argv, add)
  local operands, options = split(argv, set "-D --directory -F --file -O -I -E -H -R -C -M")
  words.each_value(options, set "-O", add)
  -- The folder that files are passed to.
  if has(options, set "-p --pass-through") and operands[1] then return unpack_into(add, operands[1].text, operands[1].at) end
  if has(options, set "-i --extract -p --pass-through") then
    unpack_into(add, words.value(options, set "-D --directory"))
  end
end

local function ar(argv, add)
  if argv[3] and argv[2]:find("[rdqms]") then add(argv[3], 3) end
end

-- Python's zipfile and tarfile unpack below the folder after the archive (-e), or create the archive (-c).
local function zipfile(argv, add)
  local how = argv[2]
  if how == "-e" or how == "--extract" then unpack_into(add, argv[4], argv[4] and 4) end
  if (how == "-c" or how == "--create") and argv[3] then add(argv[3], 3) end
end

return {
  zipfile = zipfile,
  programs = {
    tar = tar, bsdtar = tar, gtar = tar, unzip = unzip, ["7z"] = seven_zip, ["7za"] = seven_zip, ["7zz"] = seven_zip,
    cpio = cpio, ar = ar, gzip = compress, gunzip = compress, bzip2 = compress, bunzip2 = compress, xz = compress,
    unxz = compress, zstd = compress,
  },
}
