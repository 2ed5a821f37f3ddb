-- sha256: the SHA-256 digest (FIPS 180-4) of a text, in hexadecimal. Use it for keys of orcs.state
-- if the text itself must not be stored there, such as a command that may contain secrets. Runs in
-- linear time.
--
--   local sha256 = require "sha256"
--   local key = "seen:" .. sha256(ctx.payload.args.command)

local K = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
local START = {
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

-- Updates the state `h` with the block of 64 bytes at position `at` (from 1). `w` is a buffer of 64
-- words.
local function block(text, at, h, w)
  for i = 1, 16 do
    w[i] = string.unpack(">I4", text, at + (i - 1) * 4)
  end
  -- With a copy of a word in the upper 32 bits, the lower 32 bits of a right shift are a rotation.
  for i = 17, 64 do
    local x, y = w[i - 15], w[i - 2]
    x, y = x | x << 32, y | y << 32
    local s0 = x >> 7 ~ x >> 18 ~ (x & 0xffffffff) >> 3
    local s1 = y >> 17 ~ y >> 19 ~ (y & 0xffffffff) >> 10
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) & 0xffffffff
  end
  local a, b, c, d, e, f, g, z = table.unpack(h)
  for i = 1, 64 do
    local ee, aa = e | e << 32, a | a << 32
    local s1 = (ee >> 6 ~ ee >> 11 ~ ee >> 25) & 0xffffffff
    local s0 = (aa >> 2 ~ aa >> 13 ~ aa >> 22) & 0xffffffff
    local t1 = z + s1 + (e & f ~ ~e & g) + K[i] + w[i]
    local t2 = s0 + (a & b ~ a & c ~ b & c)
    z, g, f, e = g, f, e, (d + t1) & 0xffffffff
    d, c, b, a = c, b, a, (t1 + t2) & 0xffffffff
  end
  for i, word in ipairs({ a, b, c, d, e, f, g, z }) do
    h[i] = (h[i] + word) & 0xffffffff
  end
end

return function(text)
  local length = #text
  local padded = text .. "\x80" .. string.rep("\0", (55 - length) % 64) .. string.pack(">I8", length * 8)
  local h, w = table.move(START, 1, 8, 1, {}), {}
  for at = 1, #padded, 64 do
    block(padded, at, h, w)
  end
  return string.format(string.rep("%08x", 8), table.unpack(h))
end
