local sha256 = require "sha256"

-- As `sha256sum` prints it. The lengths are those at which the padding needs another block.
local DIGESTS = {
  [""] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  [("a"):rep(55)] = "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
  [("a"):rep(56)] = "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
  [("a"):rep(63)] = "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
  [("a"):rep(64)] = "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
  [("a"):rep(65)] = "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0",
  [("a"):rep(1000)] = "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3",
}

describe("sha256", function()
  it("gives the digests of FIPS 180-4", function()
    for text, digest in pairs(DIGESTS) do assert.equal(digest, sha256(text)) end
  end)

  it("takes any bytes", function()
    local bytes = {}
    for byte = 0, 255 do bytes[byte + 1] = string.char(byte) end
    assert.equal("40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880", sha256(table.concat(bytes)))
  end)

  it("starts again for each text", function()
    assert.equal(sha256 "abc", sha256 "abc")
  end)
end)
