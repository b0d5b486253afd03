-- @use basics

-- Sends a command over a list that may be longer than Lua's unpack allows.
local function inPieces(command, key, values)
  many(command, key, values)
end
