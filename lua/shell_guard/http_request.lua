-- Which requests a command of curl and the like makes.

local words = require "file_guard.words"

local http_request = {}

--- Programs that make requests.
http_request.programs = words.list "curl wget wget2 http https xh curlie"

local BODIES = words.list "--data --data-raw --data-binary --json --post-data --post-file --body-data --form"
local METHODS = words.set "GET HEAD OPTIONS POST PUT PATCH DELETE"
-- Clients whose method is a word of any case, and which send data that stands behind the URL: `http post URL a=1`.
local WITH_ITEMS = words.set "http https xh"

--- Returns the method of a command and a list of its URLs, without the scheme and the query.
function http_request.of(command)
  local args, urls = command.args or { options = {}, operands = {} }, {}
  local method, has_body = args.options["--request"] or args.options["--method"], false
  for _, name in ipairs(BODIES) do has_body = has_body or args.options[name] ~= nil and name ~= "--form" end
  local has_items = WITH_ITEMS[command.program]
  for _, at in ipairs(args.operands) do
    local word = command.argv[at]
    if METHODS[has_items and word:upper() or word] then
      method = word
    elseif has_items then
      has_body = has_body or word:find("[^=]=[^=]") ~= nil or word:find(":=") ~= nil
    end
  end
  for _, effect in ipairs(command.effects) do
    if effect.kind == "connect" and effect.word then
      urls[#urls + 1] = effect.word:gsub("^%a+://", ""):gsub("^[^/@]*@", "")
    end
  end
  local plain = args.options["--head"] and "HEAD" or has_body and "POST" or "GET"
  return (type(method) == "string" and method or plain):upper(), urls
end

return http_request
