-- Commands in the words of another one: `shx rm x`, `$SUDO rm x`.

local inner = {}

--- Returns the options and operands of words, as the dictionary of programs tells them apart; nil if their program is unknown.
function inner.args(argv) return (orcs.shell(argv)[1] or {}).args end

--- Returns the command that begins at a word of another one.
--- @param words words in front of it, in place of those that are left out
function inner.from(command, first, words)
  local argv, unknown = words or {}, {}
  local shift = first - #argv - 1
  for at = first, #command.argv do
    argv[at - shift] = command.argv[at]
    unknown[at - shift] = command.unknown[at]
  end
  local program = (argv[1] or ""):match("[^/]*$"):lower()
  return setmetatable({ program = program, argv = argv, unknown = unknown, opaque = false, args = inner.args(argv) }, { __index = command })
end

return inner
