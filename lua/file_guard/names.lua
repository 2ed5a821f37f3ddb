-- Names of files as texts. Rules for them: orcs.name_rules.
local names = {}

--- Whether a text is a glob of a shell.
function names.is_glob(text) return text:find("[*?[]") ~= nil or text:find("[!+@]%(") ~= nil end

--- The segments of a path, in lower case.
function names.segments(text)
  local list = {}
  for segment in text:lower():gmatch("[^/]+") do list[#list + 1] = segment end
  return list
end

--- Whether a glob of a command line matches a name. One that is not valid stands for itself, as for the shell.
function names.fits(glob, name)
  local valid, fits = pcall(orcs.glob_match, glob, name)
  return valid and fits or not valid and glob == name
end

return names
